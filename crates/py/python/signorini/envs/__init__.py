"""Gymnasium environments. Importing this module registers them; needs ``pip install 'signorini[gym]'``."""

from __future__ import annotations

try:
    import gymnasium
except ImportError as missing:
    raise ImportError("signorini.envs needs Gymnasium: pip install 'signorini[gym]'") from missing

from .push_block import PushBlock, PushBlockVector

gymnasium.register(
    id="signorini/PushBlock-v0",
    entry_point="signorini.envs.push_block:PushBlock",
    vector_entry_point="signorini.envs.push_block:PushBlockVector",
    max_episode_steps=100,
)

__all__ = ["PushBlock", "PushBlockVector"]
