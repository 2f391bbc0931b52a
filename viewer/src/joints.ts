// Joints of one lane: a line between the anchors, and a dot at each.

import * as THREE from "three";
import { palette, type Theme } from "./colours";
import { BODY_FLOATS, type Frame, type JointEnd, type Scene } from "./protocol";

export class Joints {
    readonly root = new THREE.Group();
    private readonly lines: THREE.LineSegments;
    private readonly dots: THREE.Points;
    private readonly positions: THREE.BufferAttribute;

    constructor(private readonly scene: Scene) {
        this.positions = new THREE.BufferAttribute(new Float32Array(6 * scene.joints.length), 3);
        this.positions.setUsage(THREE.DynamicDrawUsage);
        const geometry = new THREE.BufferGeometry().setAttribute("position", this.positions);
        const look = { depthTest: false, transparent: true };
        this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(look));
        this.dots = new THREE.Points(geometry, new THREE.PointsMaterial({ ...look, size: 6, sizeAttenuation: false }));
        for (const object of [this.lines, this.dots]) {
            object.frustumCulled = false;
            object.renderOrder = 7;
            this.root.add(object);
        }
        this.root.visible = scene.joints.length > 0;
    }

    show(frame: Frame): void {
        this.scene.joints.forEach((joint, index) => {
            this.anchor(frame, joint.a).toArray(this.positions.array, 6 * index);
            this.anchor(frame, joint.b).toArray(this.positions.array, 6 * index + 3);
        });
        this.positions.needsUpdate = true;
    }

    private anchor(frame: Frame, end: JointEnd): THREE.Vector3 {
        const point = new THREE.Vector3(...end.point);
        if (end.body === null) {
            return point.sub(new THREE.Vector3(...this.scene.origin));
        }
        const at = end.body * BODY_FLOATS;
        const [x, y, z, qw, qx, qy, qz] = frame.bodies.subarray(at, at + 7);
        return point.applyQuaternion(new THREE.Quaternion(qx, qy, qz, qw)).add(new THREE.Vector3(x, y, z));
    }

    paint(theme: Theme): void {
        for (const object of [this.lines, this.dots]) {
            (object.material as THREE.LineBasicMaterial).color.set(palette(theme).joint);
        }
    }

    dispose(): void {
        this.lines.geometry.dispose();
        (this.lines.material as THREE.Material).dispose();
        (this.dots.material as THREE.Material).dispose();
    }
}
