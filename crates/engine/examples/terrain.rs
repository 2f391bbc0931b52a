//! A ball runs down a slope of a height field, and rays measure the ground below it.
//!
//! On paper: a solid ball that rolls without slip down a slope of angle β gains (5/7) g sin β.
#![allow(clippy::print_stdout)]

use signorini::glamx::DVec3;
use signorini::{Body, Kind, Material, QueryFilter, Ray, Settings, Shape, StepStatus, World};

const SLOPE: f64 = 0.2;
const RADIUS: f64 = 0.3;
const STEP: f64 = 1.0 / 240.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    let (columns, rows, spacing) = (41, 11, 0.5);
    let height = |i: usize| -SLOPE * (i as f64 - 20.0) * spacing;
    let heights: Vec<f64> = (0..columns * rows).map(|k| height(k % columns)).collect();
    let ground = Body::fixed(Shape::height_field(columns, rows, [spacing, spacing], &heights)?);
    let ground = world.add(ground.material(Material::new(0.8, 0.0)).named("ground"))?;
    let beta = SLOPE.atan();
    let normal = DVec3::new(beta.sin(), 0.0, beta.cos());
    let start = DVec3::new(-6.1, 0.13, SLOPE * 6.1) + RADIUS * normal;
    let ball = Body::dynamic(Shape::sphere(RADIUS)?).mass(1.0).position(start).material(Material::new(0.8, 0.0));
    let ball = world.add(ball.named("ball"))?;

    let steps = 480;
    for _ in 0..steps {
        assert_eq!(world.step(STEP)?.status, StepStatus::Certified);
        // What is below the ball, but not the ball itself: the ground at a depth of r/cos β.
        let below = Ray { origin: world.body(ball)?.position(), direction: -DVec3::Z, max: 10.0 };
        let (hit, found) = world.cast_ray_where(&below, &QueryFilter::excluding(ball)).ok_or("no ground")?;
        assert_eq!(hit, ground);
        assert!((found.distance - RADIUS / beta.cos()).abs() < 1e-3, "{}", found.distance);
    }
    let time = f64::from(steps) * STEP;
    let speed = world.body(ball)?.velocity().length();
    let expected = 5.0 / 7.0 * 9.81 * beta.sin() * time;
    println!("after {time} s the ball rolls at {speed:.4} m/s; on paper {expected:.4}");
    assert!((speed / expected - 1.0).abs() < 1e-2);
    // A grid of rays from above sees the ground, and the ball where it is.
    let grid =
        (0..40).flat_map(|i| (0..10).map(move |j| DVec3::new(f64::from(i) * 0.4 - 8.0, f64::from(j) * 0.4 - 2.0, 9.0)));
    let rays: Vec<Ray> = grid.map(|origin| Ray { origin, direction: -DVec3::Z, max: 99.0 }).collect();
    let fixed = QueryFilter { kind: Some(Kind::Fixed), ..QueryFilter::default() };
    for (ray, hit) in rays.iter().zip(world.cast_rays(&rays, &fixed)) {
        let (_, hit) = hit.ok_or("a hole in the ground")?;
        assert!((ray.origin.z - hit.distance + SLOPE * ray.origin.x).abs() < 1e-9);
    }
    Ok(())
}
