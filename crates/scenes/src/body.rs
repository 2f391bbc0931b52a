//! A rigid body of a generated problem: mass, inertia, where it is and how it moves.

use crate::vector::Vec3;
use signorini_problem::InverseMass;

/// Principal axes of a body in world axes, one per row.
pub type Axes = [Vec3; 3];

/// Principal axes along the world axes.
const WORLD_AXES: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Principal moments of inertia [kg·m²] of a homogeneous box of `mass` \[kg\] with `half_extents` a \[m\] about its centre:
/// `I_x = m (a_y² + a_z²)/3` and cyclically.
pub fn box_inertia(mass: f64, half_extents: Vec3) -> Vec3 {
    let [x, y, z] = half_extents.map(|a| a * a);
    [mass / 3.0 * (y + z), mass / 3.0 * (x + z), mass / 3.0 * (x + y)]
}

/// Moments of inertia [kg·m²] of a homogeneous ball about its centre: `2/5 m R²`.
pub fn sphere_inertia(mass: f64, radius: f64) -> Vec3 {
    [0.4 * mass * radius * radius; 3]
}

/// `M⁻¹ = diag(m⁻¹ I, Σ_k a_k a_kᵀ / I_k)` with the principal axes `a_k` in world axes; symmetric bit for bit.
pub fn inverse_mass(mass: f64, inertia: Vec3, axes: &Axes) -> InverseMass {
    let mut inverse = [[0.0; 6]; 6];
    for i in 0..3 {
        inverse[i][i] = 1.0 / mass;
        for j in 0..=i {
            let value = (0..3).map(|k| axes[k][i] * axes[k][j] / inertia[k]).sum();
            inverse[3 + i][3 + j] = value;
            inverse[3 + j][3 + i] = value;
        }
    }
    inverse
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Mass \[kg\].
    pub mass: f64,
    /// Principal moments of inertia about the centre of mass [kg·m²].
    pub inertia: Vec3,
    /// Principal axes in world axes.
    pub axes: Axes,
    /// Centre of mass \[m\].
    pub position: Vec3,
    /// Linear [m/s] and angular [rad/s] velocity before the step.
    pub velocity: [f64; 6],
}

impl Body {
    /// A homogeneous box along the world axes, at rest.
    pub fn cuboid(mass: f64, half_extents: Vec3, position: Vec3) -> Self {
        Body { mass, inertia: box_inertia(mass, half_extents), axes: WORLD_AXES, position, velocity: [0.0; 6] }
    }

    /// A homogeneous ball, at rest.
    pub fn sphere(mass: f64, radius: f64, position: Vec3) -> Self {
        Body { mass, inertia: sphere_inertia(mass, radius), axes: WORLD_AXES, position, velocity: [0.0; 6] }
    }

    /// The same body with other principal axes.
    pub fn with_axes(self, axes: Axes) -> Self {
        Body { axes, ..self }
    }

    /// The same body, moving.
    pub fn with_velocity(self, velocity: [f64; 6]) -> Self {
        Body { velocity, ..self }
    }

    /// `M⁻¹` in world axes.
    pub fn inverse_mass(&self) -> InverseMass {
        inverse_mass(self.mass, self.inertia, &self.axes)
    }
}
