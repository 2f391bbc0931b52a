"""A heavy box on a light one, beside MuJoCo if it is installed.

1000 kg rest on 1 kg for a second of simulated time, both engines with a step of 5 ms and their default settings. The
light box may not be squeezed into the floor. (Default settings are what a user meets first; MuJoCo's contacts are
soft by design and can be made stiffer.)

    python examples/python/heavy_on_light.py
"""

from __future__ import annotations

import importlib.util

import signorini as sg

DT, STEPS, HALF = 0.005, 200, 0.5
LIGHT, HEAVY = 1.0, 1000.0


def with_signorini() -> float:
    """How far the light box has sunk into the floor [m]."""
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    cube = sg.Shape.cuboid((HALF, HALF, HALF))
    light = world.add(cube, mass=LIGHT, position=(0, 0, HALF), name="light")
    world.add(cube, mass=HEAVY, position=(0, 0, 3 * HALF), name="heavy")
    run = world.run(STEPS, dt=DT)
    assert run.certified, f"only {run['certified'].sum()} of {STEPS} steps certified"
    print(f"signorini: largest error {run['residual'].max():.1e} m/s in {STEPS} steps, all certified")
    return HALF - float(light.position[2])


def with_mujoco() -> float:
    """The same in MuJoCo."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(
        f"""
        <mujoco>
          <option timestep="{DT}" gravity="0 0 -9.81"/>
          <worldbody>
            <geom type="plane" size="5 5 0.1"/>
            <body pos="0 0 {HALF}"><freejoint/><geom type="box" size="{HALF} {HALF} {HALF}" mass="{LIGHT}"/></body>
            <body pos="0 0 {3 * HALF}"><freejoint/><geom type="box" size="{HALF} {HALF} {HALF}" mass="{HEAVY}"/></body>
          </worldbody>
        </mujoco>
        """
    )
    data = mujoco.MjData(model)
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return HALF - float(data.xpos[1][2])


def main() -> None:
    sunk = with_signorini()
    print(f"signorini: the light box has sunk by {sunk:.1e} m")
    assert abs(sunk) < 1e-6
    if importlib.util.find_spec("mujoco") is None:
        print("mujoco is not installed: nothing to compare with")
        return
    print(f"mujoco:    the light box has sunk by {with_mujoco():.1e} m")


if __name__ == "__main__":
    main()
