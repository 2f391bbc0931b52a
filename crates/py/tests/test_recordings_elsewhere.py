"""Recordings as other programs read them: ``mcap`` and ``mcap-ros2-support``, which know nothing of ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import signorini as sg

mcap_reader = pytest.importorskip("mcap.reader")
mcap_exceptions = pytest.importorskip("mcap.exceptions")
ros2 = pytest.importorskip("mcap_ros2.decoder")

STEPS = 12
DT = 0.01


@pytest.fixture
def recording(tmp_path: Path) -> tuple[Path, sg.World]:
    """A hull and a capsule on a floor."""
    world = sg.World()
    world.add(sg.Shape.half_space((0, 0, 1)), kind="fixed", name="floor")
    corners = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.2, 0.2)]
    world.add(sg.Shape.hull(corners), position=(0, 0, 0.2), name="hull")
    world.add(sg.Shape.capsule(0.1, 0.05), position=(1, 0, 0.2), name="capsule")
    path = tmp_path / "run.mcap"
    world.run(STEPS, dt=DT, file=path)
    return path, world


def ros_messages(path: Path, topic: str) -> list:
    with path.open("rb") as file:
        reader = mcap_reader.make_reader(file, decoder_factories=[ros2.DecoderFactory()])
        return [message for _, _, _, message in reader.iter_decoded_messages(topics=[topic])]


def json_messages(path: Path, topic: str) -> list[dict]:
    with path.open("rb") as file:
        messages = mcap_reader.make_reader(file).iter_messages(topics=[topic])
        return [json.loads(message.data) for _, _, message in messages]


def test_the_index_lists_every_topic_with_its_schema(recording):
    path, _ = recording
    with path.open("rb") as file:
        summary = mcap_reader.make_reader(file).get_summary()
    channels = {channel.topic: channel for channel in summary.channels.values()}
    types = {topic: summary.schemas[channel.schema_id].name for topic, channel in channels.items()}
    assert types["/scene"] == types["/contact_arrows"] == "foxglove.SceneUpdate"
    assert types["/tf"] == "foxglove_msgs/msg/FrameTransforms"
    counts = {topic: summary.statistics.channel_message_counts[channel.id] for topic, channel in channels.items()}
    assert counts["/scene"] == 1
    assert counts["/state"] == counts["/tf"] == STEPS + 1
    assert counts["/step"] == counts["/plot"] == counts["/contacts"] == counts["/contact_arrows"] == STEPS


def test_frames_are_where_the_bodies_are(recording):
    path, world = recording
    messages = ros_messages(path, "/tf")
    last = {transform.child_frame_id: transform for transform in messages[-1].transforms}
    assert set(last) == {"floor", "hull", "capsule"}
    for name, transform in last.items():
        place = transform.translation
        assert transform.parent_frame_id == "world"
        assert (place.x, place.y, place.z) == tuple(world[name].position)
        turn = transform.rotation
        assert turn.w**2 + turn.x**2 + turn.y**2 + turn.z**2 == pytest.approx(1, abs=1e-12)
    stamp = messages[-1].transforms[0].timestamp
    assert stamp.sec + 1e-9 * stamp.nanosec == pytest.approx(STEPS * DT, abs=2e-9)


def test_shapes_are_drawn_in_the_frames_of_their_bodies(recording):
    path, _ = recording
    (scene,) = json_messages(path, "/scene")
    entities = {entity["id"]: entity for entity in scene["entities"]}
    assert all(entity["frame_id"] == name and entity["frame_locked"] for name, entity in entities.items())
    # A cube as a hull has twelve triangles; a capsule is a cylinder between two spheres 2 x 0.1 m apart.
    (triangles,) = entities["hull"]["triangles"]
    assert len(triangles["points"]) == 8
    assert len(triangles["indices"]) == 36
    (cylinder,) = entities["capsule"]["cylinders"]
    assert cylinder["size"] == {"x": 0.1, "y": 0.1, "z": 0.2}
    heights = [sphere["pose"]["position"]["z"] for sphere in entities["capsule"]["spheres"]]
    assert heights == [-0.1, 0.1]
    (ground,) = entities["floor"]["cubes"]
    assert ground["pose"]["position"]["z"] + 0.5 * ground["size"]["z"] == pytest.approx(0, abs=1e-12)


def test_arrows_stand_at_the_contacts_and_point_along_the_forces(recording):
    path, _ = recording
    last = json_messages(path, "/contact_arrows")[-1]
    contacts = ros_messages(path, "/contacts")[-1]
    (entity,) = last["entities"]
    points = {tuple(contacts.point[i : i + 3]) for i in range(0, len(contacts.point), 3)}
    assert len(entity["arrows"]) >= 4
    for arrow in entity["arrows"]:
        place = arrow["pose"]["position"]
        assert (place["x"], place["y"], place["z"]) in points
        assert arrow["shaft_length"] > 0


def test_numbers_to_plot_are_plain(recording):
    path, _ = recording
    plots = ros_messages(path, "/plot")
    assert [plot.step for plot in plots] == list(range(1, STEPS + 1))
    assert all(plot.certified == 1 and plot.residual <= plot.residual_bound for plot in plots)
    assert plots[-1].energy == pytest.approx(plots[-1].kinetic + plots[-1].potential, abs=1e-12)


def test_a_recording_that_was_cut_off_is_read_from_the_front(recording, tmp_path):
    path, _ = recording
    with path.open("rb") as file:
        chunks = mcap_reader.make_reader(file).get_summary().chunk_indexes
    # In the middle of a chunk: before it everything is there. How many there are is a matter of time.
    last = chunks[-1]
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(path.read_bytes()[: last.chunk_start_offset + last.chunk_length // 2])
    topics: list[str] = []
    with cut.open("rb") as file:
        messages = mcap_reader.NonSeekingReader(file).iter_messages(log_time_order=False)
        with pytest.raises(mcap_exceptions.McapError):
            topics.extend(channel.topic for _, channel, _ in messages)
    assert topics.count("/state") == len(sg.Recording(cut)) > 1
