"""Gymnasium environments. Importing this module registers them; needs ``pip install 'signorini[gym]'``.

``signorini/PushBlock-v0``, ``signorini/Reach-v0``, ``signorini/ArmPush-v0``, ``signorini/PickAndPlace-v0`` and
``signorini/Quadruped-v0``. Each class says what is observed and what an action does; ``gymnasium.make_vec`` steps many
over all processors.
"""

from __future__ import annotations

try:
    import gymnasium
except ImportError as missing:
    raise ImportError("signorini.envs needs Gymnasium: pip install 'signorini[gym]'") from missing

from ._task import ROBOTS, Member, Task, TaskEnv, TaskVectorEnv
from .arm import ArmPush, ArmPushVector, PickAndPlace, PickAndPlaceVector, Reach, ReachVector
from .push_block import PushBlock, PushBlockVector
from .quadruped import Quadruped, QuadrupedVector

_MOST_ACTIONS = {
    ("push_block", "PushBlock"): 100,
    ("arm", "Reach"): 100,
    ("arm", "ArmPush"): 150,
    ("arm", "PickAndPlace"): 150,
    ("quadruped", "Quadruped"): 500,
}
for (_module, _name), _most in _MOST_ACTIONS.items():
    gymnasium.register(
        id=f"signorini/{_name}-v0",
        entry_point=f"signorini.envs.{_module}:{_name}",
        vector_entry_point=f"signorini.envs.{_module}:{_name}Vector",
        max_episode_steps=_most,
    )

__all__ = [
    "ROBOTS",
    "ArmPush",
    "ArmPushVector",
    "Member",
    "PickAndPlace",
    "PickAndPlaceVector",
    "PushBlock",
    "PushBlockVector",
    "Quadruped",
    "QuadrupedVector",
    "Reach",
    "ReachVector",
    "Task",
    "TaskEnv",
    "TaskVectorEnv",
]
