// Geometry of shapes. Axes of capsule, cylinder and cone are z here and y in three.js.

import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Shape, Triple } from "./protocol";

/** Edges of boxes catch the light if they are not perfectly sharp; this part of the smallest half extent is no lie. */
const BEVEL = 0.04;

/** The geometry of a shape, or null for a half-space, which has none. */
export function geometryOf(shape: Shape): THREE.BufferGeometry | null {
    if ("sphere" in shape) {
        return new THREE.SphereGeometry(shape.sphere.radius, 40, 24);
    }
    if ("cuboid" in shape) {
        const [x, y, z] = shape.cuboid.half_extents;
        return new RoundedBoxGeometry(2 * x, 2 * y, 2 * z, 2, BEVEL * Math.min(x, y, z));
    }
    if ("ellipsoid" in shape) {
        return new THREE.SphereGeometry(1, 48, 32).scale(...shape.ellipsoid.half_extents);
    }
    if ("rounded_cuboid" in shape) {
        const { half_extents, radius } = shape.rounded_cuboid;
        const [x, y, z] = half_extents.map((half) => 2 * (half + radius));
        return new RoundedBoxGeometry(x, y, z, 6, radius);
    }
    if ("rounded_hull" in shape) {
        return roundedHull(shape.rounded_hull.points, shape.rounded_hull.radius);
    }
    if ("capsule" in shape) {
        const { half_height, radius } = shape.capsule;
        return new THREE.CapsuleGeometry(radius, 2 * half_height, 12, 32).rotateX(Math.PI / 2);
    }
    if ("cylinder" in shape) {
        const { half_height, radius } = shape.cylinder;
        return new THREE.CylinderGeometry(radius, radius, 2 * half_height, 48).rotateX(Math.PI / 2);
    }
    if ("cone" in shape) {
        const { half_height, radius } = shape.cone;
        return new THREE.ConeGeometry(radius, 2 * half_height, 48).rotateX(Math.PI / 2);
    }
    if ("hull" in shape) {
        return new ConvexGeometry(shape.hull.points.map((p) => new THREE.Vector3(...p)));
    }
    if ("mesh" in shape) {
        return surface(shape.mesh.vertices, shape.mesh.triangles);
    }
    if ("height_field" in shape) {
        return heightField(shape.height_field);
    }
    if ("compound" in shape) {
        return compound(shape.compound.parts);
    }
    return null;
}

/** A ball of few corners around every point: its hull is the rounded one to a pixel. */
function roundedHull(points: readonly Triple[], radius: number): THREE.BufferGeometry {
    const ball = new THREE.IcosahedronGeometry(radius, 2).getAttribute("position");
    const corners = points.flatMap((p) =>
        Array.from({ length: ball.count }, (_, i) => new THREE.Vector3(...p).add(new THREE.Vector3().fromBufferAttribute(ball, i))),
    );
    return new ConvexGeometry(corners);
}

/** The outward normal of a half-space. */
export function halfSpaceNormal(shape: Shape): Triple | null {
    return "half_space" in shape ? shape.half_space.normal : null;
}

/** Flat triangles: what the engine collides with is not smooth, and should not look it. */
function surface(vertices: readonly Triple[], triangles: readonly Triple[]): THREE.BufferGeometry {
    const positions = new Float32Array(9 * triangles.length);
    triangles.forEach((triangle, t) => triangle.forEach((v, k) => positions.set(vertices[v], 9 * t + 3 * k)));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.computeVertexNormals();
    return geometry;
}

function heightField(field: {
    columns: number;
    rows: number;
    spacing: [number, number];
    heights: number[];
}): THREE.BufferGeometry {
    const { columns, rows, spacing, heights } = field;
    const vertices: Triple[] = [];
    for (let j = 0; j < rows; j++) {
        for (let i = 0; i < columns; i++) {
            const x = (i - (columns - 1) / 2) * spacing[0];
            const y = (j - (rows - 1) / 2) * spacing[1];
            vertices.push([x, y, heights[j * columns + i]]);
        }
    }
    const triangles: Triple[] = [];
    for (let j = 0; j + 1 < rows; j++) {
        for (let i = 0; i + 1 < columns; i++) {
            const a = j * columns + i;
            triangles.push([a, a + 1, a + columns + 1], [a, a + columns + 1, a + columns]);
        }
    }
    return surface(vertices, triangles);
}

function compound(
    parts: readonly { shape: Shape; position?: Triple; orientation?: [number, number, number, number] }[],
): THREE.BufferGeometry | null {
    const pieces: THREE.BufferGeometry[] = [];
    for (const part of parts) {
        const piece = geometryOf(part.shape);
        if (piece === null) {
            continue;
        }
        const [w, x, y, z] = part.orientation ?? [1, 0, 0, 0];
        const pose = new THREE.Matrix4().compose(
            new THREE.Vector3(...(part.position ?? [0, 0, 0])),
            new THREE.Quaternion(x, y, z, w),
            new THREE.Vector3(1, 1, 1),
        );
        // Only what all parts have can be merged.
        const flat = piece.index === null ? piece : piece.toNonIndexed();
        flat.deleteAttribute("uv");
        flat.applyMatrix4(pose);
        pieces.push(flat);
    }
    return pieces.length > 0 ? mergeGeometries(pieces) : null;
}
