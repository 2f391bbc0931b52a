//! A game loop with frames of any length and rollback: steps of one length, poses in between for the display, and an input that
//! arrives late and is played from where it belongs, to the same bits as if it had been there in time.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, BodyHandle, FixedStep, Settings, Shape, Snapshot, World};

const STEP: f64 = 1.0 / 60.0;

/// What a player does in a step.
#[derive(Clone, Copy, PartialEq)]
struct Input {
    push: DVec3,
}

/// Steps that may still be taken back, each with the world before it.
struct History {
    world: World,
    player: BodyHandle,
    before: Vec<Snapshot>,
    inputs: Vec<Input>,
}

impl History {
    fn advance(&mut self, input: Input) -> Result<(), Box<dyn std::error::Error>> {
        self.before.push(self.world.snapshot());
        self.inputs.push(input);
        self.world.add_impulse(self.player, input.push)?;
        self.world.step(STEP)?;
        Ok(())
    }

    /// Plays again from a step whose input turned out to be another.
    fn correct(&mut self, step: usize, input: Input) -> Result<(), Box<dyn std::error::Error>> {
        self.world.restore(&self.before[step])?;
        let mut inputs = self.inputs.split_off(step);
        self.before.truncate(step);
        inputs[0] = input;
        inputs.into_iter().try_for_each(|input| self.advance(input))
    }
}

fn arena() -> Result<History, Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    world.add(Body::fixed(Shape::half_space(DVec3::Z)?).named("floor"))?;
    for i in 0..4 {
        let at = DVec3::new(2.0, 0.0, 0.25 + 0.5 * f64::from(i));
        world
            .add(Body::dynamic(Shape::cuboid(DVec3::splat(0.25))?).mass(1.0).position(at).named(&format!("box {i}")))?;
    }
    let player = Body::dynamic(Shape::sphere(0.4)?).mass(4.0).position(DVec3::new(0.0, 0.0, 0.4)).damping(0.1, 0.5);
    let player = world.add(player.named("player"))?;
    Ok(History { world, player, before: Vec::new(), inputs: Vec::new() })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (still, push) = (Input { push: DVec3::ZERO }, Input { push: DVec3::new(16.0, 0.0, 0.0) });
    // The server knows that the player pushed in step 5; the client hears of it in step 40.
    let mut server = arena()?;
    let mut client = arena()?;
    for step in 0..80 {
        server.advance(if step == 5 { push } else { still })?;
        client.advance(still)?;
        if step == 40 {
            assert_ne!(client.world.state_hash(), server.world.state_hash());
            client.correct(5, push)?;
            assert_eq!(client.world.state_hash(), server.world.state_hash());
        }
    }
    assert_eq!(client.world.state_hash(), server.world.state_hash());
    let knocked = client.world.impacts(0.0).count();
    println!("after the rollback both are at {:016x}; {knocked} contacts", client.world.state_hash());

    // The same world shown at 144 Hz: poses move on smoothly though steps are 1/60 s.
    let (mut clock, mut last) = (FixedStep::new(STEP), f64::NEG_INFINITY);
    client.world.set_velocity(client.player, DVec3::new(-2.0, 0.0, 0.0))?;
    for _ in 0..30 {
        client.world.step_fixed(&mut clock, 1.0 / 144.0)?;
        let shown = -clock.pose(&client.world, client.player)?.translation.x;
        assert!(shown >= last - 1e-12, "it went back from {last} to {shown}");
        last = shown;
    }
    Ok(())
}
