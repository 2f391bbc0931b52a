// The 3D view: one canvas, one camera, and a viewport per lane.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Axes } from "./axes";
import { Bodies, type Colouring } from "./bodies";
import { palette, type Theme } from "./colours";
import { Contacts, type ContactLook } from "./contacts";
import { Joints } from "./joints";
import { BODY_WORDS, CONTACT_WORDS, type Frame, type Scene } from "./protocol";

export interface Look extends ContactLook {
    colouring: Colouring;
    seeThrough: boolean;
    axes: boolean;
}

export type Selection = { lane: number; body: number } | { lane: number; contact: number };

export interface Viewport {
    x: number;
    y: number;
    width: number;
    height: number;
}

/** Room around the scene when all of it is shown. */
const AIR = 1.12;
/** The camera stays this far above floors, in sizes of the scene. */
const ABOVE_FLOOR = 0.01;
/** Where a scene is first seen from: a bit from the right and above; then further round, then from higher up. */
const HOME = new THREE.Vector3(0.42, -1, 0.38);
const ROUND = [0, 1, -1, 2, -2, 3, -3, 4].map((eighth) => (eighth * Math.PI) / 4);
const HIGHER = [1, 2.2, 5];
/** Most bodies that are looked for from each place. */
const LOOKED_FOR = 40;
/** Of so many of them it is looked whether a wall hides them from the eye, again every so many pictures. */
const LOOKED_THROUGH = 12;
const LOOK_AGAIN = 15;
/** How near a click must be to a contact [px]. */
const CONTACT_REACH = 12;

interface LaneView {
    world: THREE.Scene;
    bodies: Bodies;
    contacts: Contacts;
    joints: Joints;
    axes: Axes;
    sky: THREE.HemisphereLight;
    sun: THREE.DirectionalLight;
    frame: Frame | null;
}

export class Stage {
    private readonly renderer: THREE.WebGLRenderer;
    private readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1e5);
    private readonly controls: OrbitControls;
    private lanes: LaneView[] = [];
    private theme: Theme = "light";
    private dirty = true;
    /** Whether the camera has moved since walls were looked at, and pictures since. */
    private moved = true;
    private pictures = 0;
    private centre = new THREE.Vector3();
    private size = 1;
    private scene: Scene | null = null;
    /** The body that the camera goes with, and where it was. */
    private followed: { body: number; at: THREE.Vector3 } | null = null;
    private readonly string = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ depthTest: false }));

    constructor(private readonly canvas: HTMLCanvasElement) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.renderer.setScissorTest(true);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
        this.controls.dampingFactor = 0.12;
        this.controls.maxPolarAngle = 0.98 * Math.PI;
        this.controls.addEventListener("change", () => {
            this.moved = true;
            this.touch();
        });
    }

    /** Asks for a new picture. */
    touch(): void {
        this.dirty = true;
    }

    /** Whether the pointer turns the view. */
    set turnable(on: boolean) {
        this.controls.enabled = on;
    }

    load(scene: Scene, laneCount: number): void {
        this.clear();
        this.scene = scene;
        this.followed = null;
        for (let lane = 0; lane < laneCount; lane++) {
            const world = new THREE.Scene();
            const bodies = new Bodies(scene);
            const contacts = new Contacts(scene, bodies.typicalRadius());
            const joints = new Joints(scene, bodies.typicalRadius());
            const axes = new Axes(scene, bodies.typicalRadius());
            const sky = new THREE.HemisphereLight();
            const sun = new THREE.DirectionalLight(0xffffff, 2.2);
            sun.castShadow = true;
            sun.shadow.mapSize.set(2048, 2048);
            sun.shadow.radius = 5;
            world.add(bodies.root, contacts.root, joints.root, axes.root, sky, sun, sun.target);
            this.lanes.push({ world, bodies, contacts, joints, axes, sky, sun, frame: null });
        }
        this.string.visible = false;
        this.string.frustumCulled = false;
        this.string.renderOrder = 8;
        this.lanes[0]?.world.add(this.string);
        this.paint(this.theme);
    }

    private clear(): void {
        for (const lane of this.lanes) {
            lane.bodies.dispose();
            lane.contacts.dispose();
            lane.joints.dispose();
            lane.axes.dispose();
            lane.sun.shadow.dispose();
        }
        this.lanes = [];
    }

    paint(theme: Theme): void {
        this.theme = theme;
        const colours = palette(theme);
        this.string.material.color.set(colours.arrow);
        for (const { world, bodies, contacts, joints, axes, sky, sun } of this.lanes) {
            world.background = new THREE.Color(colours.background);
            bodies.paint(theme);
            contacts.paint(theme);
            joints.paint(theme);
            axes.paint(theme);
            sky.color.set(theme === "dark" ? "#cfd8e3" : "#ffffff");
            sky.groundColor.set(theme === "dark" ? "#6a7380" : "#b9b4ac");
            sky.intensity = theme === "dark" ? 2.3 : 2.4;
            sun.intensity = theme === "dark" ? 2.3 : 2.2;
        }
        this.touch();
    }

    show(index: number, frame: Frame, look: Look, reference: number, selection: Selection | null): void {
        const lane = this.lanes[index];
        if (lane === undefined) {
            return;
        }
        const first = lane.frame === null;
        lane.frame = frame;
        if (first && index === 0) {
            this.frameAll(true);
        } else if (first) {
            this.place(lane);
        }
        const own = selection?.lane === index ? selection : null;
        lane.bodies.seeThrough(look.seeThrough);
        lane.bodies.show(frame, look.colouring, own !== null && "body" in own ? own.body : null);
        lane.contacts.show(frame, look, reference, own !== null && "contact" in own ? own.contact : null);
        lane.joints.show(frame);
        lane.axes.show(frame, look.axes, own !== null && "body" in own ? own.body : null);
        if (index === 0) {
            this.showString(frame);
        }
        if (index === (selection?.lane ?? 0)) {
            this.goAlong(frame);
        }
        this.touch();
    }

    /** The camera goes with a body from now on; null: it stays. */
    follow(body: number | null): void {
        const frame = this.lanes[0]?.frame ?? null;
        this.followed = body === null || frame === null ? null : { body, at: this.placeOf(frame, body) };
        if (this.followed !== null) {
            const shift = this.followed.at.clone().sub(this.controls.target);
            this.controls.target.add(shift);
            this.camera.position.add(shift);
            this.touch();
        }
    }

    private goAlong(frame: Frame): void {
        if (this.followed !== null) {
            const at = this.placeOf(frame, this.followed.body);
            const shift = at.clone().sub(this.followed.at);
            this.controls.target.add(shift);
            this.camera.position.add(shift);
            this.followed.at = at;
        }
    }

    private placeOf(frame: Frame, body: number): THREE.Vector3 {
        return new THREE.Vector3().fromArray(frame.bodies, body * BODY_WORDS);
    }

    /** What a page pulls at in this moment: a line from the body to the pointer. */
    private showString(frame: Frame): void {
        const drag = frame.report?.drag;
        this.string.visible = drag !== undefined;
        if (drag !== undefined) {
            const to = this.toScene(new THREE.Vector3(...drag.target));
            this.string.geometry.setFromPoints([this.inWorld(frame, drag.body, new THREE.Vector3(...drag.point)), to]);
        }
    }

    private toScene(point: THREE.Vector3): THREE.Vector3 {
        return point.sub(new THREE.Vector3(...(this.scene?.origin ?? [0, 0, 0])));
    }

    private turnOf(frame: Frame, body: number): THREE.Quaternion {
        const [w, x, y, z] = frame.bodies.subarray(body * BODY_WORDS + 3, body * BODY_WORDS + 7);
        return new THREE.Quaternion(x, y, z, w);
    }

    private inWorld(frame: Frame, body: number, point: THREE.Vector3): THREE.Vector3 {
        return point.applyQuaternion(this.turnOf(frame, body)).add(this.placeOf(frame, body));
    }

    /** Puts everything that moves into the picture. */
    frameAll(fromHome: boolean): void {
        const lane = this.lanes[0];
        if (lane?.frame === null || lane?.frame === undefined) {
            return;
        }
        let box = lane.bodies.bounds(lane.frame, ["dynamic", "kinematic"]);
        if (box.isEmpty()) {
            box = lane.bodies.bounds(lane.frame, ["dynamic", "kinematic", "fixed"]);
        }
        if (box.isEmpty()) {
            box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
        }
        box.getCenter(this.centre);
        this.size = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-3);
        this.lanes.forEach((each) => this.place(each));
        this.resize();
        const direction = fromHome ? this.clearView(lane) : this.camera.position.clone().sub(this.controls.target);
        const distance = this.fittingDistance(box, direction.normalize());
        this.camera.position.copy(this.centre).addScaledVector(direction, distance);
        this.camera.near = 0.01 * this.size;
        this.camera.far = 200 * this.size;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(this.centre);
        this.controls.minDistance = 0.05 * this.size;
        this.controls.maxDistance = 40 * this.size;
        this.controls.update();
        this.moved = true;
        this.touch();
    }

    /** Where at most so many bodies are that move. */
    private someThatMove(frame: Frame | null, most: number): THREE.Vector3[] {
        const moving = this.scene?.bodies.flatMap((body, index) => (body.kind === "fixed" ? [] : [index])) ?? [];
        const every = Math.ceil(moving.length / most);
        return frame === null ? [] : moving.filter((_, i) => i % every === 0).map((body) => this.placeOf(frame, body));
    }

    /** Walls between the eye and what moves are seen through; while the camera stands still, none becomes solid again. */
    private lookThrough(): void {
        this.pictures += 1;
        if (this.moved || this.pictures % LOOK_AGAIN === 0) {
            for (const { bodies, frame } of this.lanes) {
                bodies.veil(this.camera.position, this.someThatMove(frame, LOOKED_THROUGH), this.moved);
            }
            this.moved = false;
        }
    }

    /** A direction from which fixed bodies that cannot be seen through hide the least of what moves. */
    private clearView({ bodies, frame }: LaneView): THREE.Vector3 {
        const looked = this.someThatMove(frame, LOOKED_FOR);
        if (frame === null || looked.length === 0) {
            return HOME.clone();
        }
        bodies.show(frame, "body", null);
        let [best, fewest] = [HOME.clone(), Infinity];
        for (const higher of HIGHER) {
            for (const angle of ROUND) {
                const direction = HOME.clone().multiply(new THREE.Vector3(1, 1, higher)).normalize();
                direction.applyAxisAngle(this.camera.up, angle);
                const eye = this.centre.clone().addScaledVector(direction, 8 * this.size);
                const hidden = looked.filter((point) => {
                    const ray = new THREE.Raycaster(eye, point.clone().sub(eye).normalize());
                    const body = bodies.pick(ray);
                    return body !== null && bodies.hides(body);
                }).length;
                if (hidden < fewest) {
                    [best, fewest] = [direction, hidden];
                }
                if (hidden === 0) {
                    return best;
                }
            }
        }
        return best;
    }

    /** How far off the whole box is in the picture, with some air around it. */
    private fittingDistance(box: THREE.Box3, direction: THREE.Vector3): number {
        const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
        const up = new THREE.Vector3().crossVectors(direction, right);
        const tall = Math.tan((this.camera.fov * Math.PI) / 360);
        const wide = tall * this.camera.aspect;
        let distance = 0;
        for (let corner = 0; corner < 8; corner++) {
            const pick = (bit: number, axis: "x" | "y" | "z"): number => (corner & bit ? box.max : box.min)[axis];
            const offset = new THREE.Vector3(pick(1, "x"), pick(2, "y"), pick(4, "z")).sub(this.centre);
            const spread = Math.max(Math.abs(offset.dot(right)) / wide, Math.abs(offset.dot(up)) / tall);
            distance = Math.max(distance, offset.dot(direction) + AIR * spread);
        }
        return distance;
    }

    /** Sun, floor and axes of a lane, to the size of the scene. */
    private place({ sun, bodies, axes }: LaneView): void {
        const reach = 2.2 * this.size;
        sun.position.copy(this.centre).add(new THREE.Vector3(-0.55, -0.6, 1.25).multiplyScalar(3 * this.size));
        sun.target.position.copy(this.centre);
        const { camera } = sun.shadow;
        [camera.left, camera.right, camera.top, camera.bottom] = [-reach, reach, reach, -reach];
        [camera.near, camera.far] = [0.1 * this.size, 10 * this.size];
        camera.updateProjectionMatrix();
        sun.shadow.normalBias = 0.004 * this.size;
        sun.shadow.bias = -0.0004;
        bodies.cover(this.centre, this.size);
        axes.fit(this.size);
    }

    /** Turns the camera about the scene, or comes nearer. */
    orbit(right: number, up: number, nearer: number): void {
        const offset = this.camera.position.clone().sub(this.controls.target);
        const spherical = new THREE.Spherical().setFromVector3(new THREE.Vector3(offset.x, offset.z, -offset.y));
        spherical.theta += right;
        spherical.phi = Math.min(Math.max(spherical.phi - up, 0.05), 0.97 * Math.PI);
        spherical.radius *= nearer;
        const turned = new THREE.Vector3().setFromSpherical(spherical);
        this.camera.position.copy(this.controls.target).add(new THREE.Vector3(turned.x, -turned.z, turned.y));
        this.controls.update();
        this.touch();
    }

    /** Viewports in CSS pixels from the top left: side by side, or one above the other on a narrow page. */
    viewports(): Viewport[] {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const count = Math.max(1, this.lanes.length);
        return Array.from({ length: count }, (_, i) =>
            width >= height
                ? { x: (i * width) / count, y: 0, width: width / count, height }
                : { x: 0, y: (i * height) / count, width, height: height / count },
        );
    }

    resize(): void {
        const { clientWidth, clientHeight } = this.canvas;
        if (clientWidth === 0 || clientHeight === 0) {
            return;
        }
        this.renderer.setSize(clientWidth, clientHeight, false);
        const [first] = this.viewports();
        this.camera.aspect = first.width / first.height;
        this.camera.updateProjectionMatrix();
        this.touch();
    }

    /** Keeps the camera out of a floor: as far from what it looks at as before, where that is possible, at the least height. */
    private stayAbove(): void {
        const ground = this.lanes[0]?.bodies.above(this.camera.position) ?? null;
        const lowest = ABOVE_FLOOR * this.size;
        if (ground === null || ground.height >= lowest) {
            return;
        }
        const away = this.camera.position.clone().sub(this.controls.target);
        const [distance, deep] = [away.length(), away.dot(ground.up)];
        const height = deep + lowest - ground.height;
        const along = away.addScaledVector(ground.up, -deep);
        if (Math.abs(height) < distance && along.lengthSq() > 0) {
            along.setLength(Math.sqrt(distance ** 2 - height ** 2));
        }
        this.camera.position.copy(this.controls.target).add(along).addScaledVector(ground.up, height);
        this.camera.lookAt(this.controls.target);
        this.moved = true;
    }

    /** How far the camera is above the floor, and from what it looks at [m]. */
    get eye(): [number, number] {
        const { position } = this.camera;
        return [this.lanes[0]?.bodies.above(position)?.height ?? NaN, position.distanceTo(this.controls.target)];
    }

    /** Draws if anything changed. */
    render(): void {
        this.controls.update();
        this.stayAbove();
        if (!this.dirty) {
            return;
        }
        this.dirty = false;
        this.lookThrough();
        const height = this.canvas.clientHeight;
        this.viewports().forEach((port, index) => {
            const bottom = height - port.y - port.height;
            this.renderer.setViewport(port.x, bottom, port.width, port.height);
            this.renderer.setScissor(port.x, bottom, port.width, port.height);
            const lane = this.lanes[index];
            if (lane === undefined) {
                this.renderer.setClearColor(palette(this.theme).background);
                this.renderer.clear();
            } else {
                this.renderer.render(lane.world, this.camera);
            }
        });
    }

    /** The lane at a point of the page, where in its viewport that is, and the ray from the eye through it. */
    private at(clientX: number, clientY: number): { index: number; x: number; y: number; port: Viewport; ray: THREE.Raycaster } {
        const bounds = this.canvas.getBoundingClientRect();
        const [x, y] = [clientX - bounds.left, clientY - bounds.top];
        const ports = this.viewports();
        const found = ports.findIndex((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
        const index = Math.max(found, 0);
        const port = ports[index];
        const ray = new THREE.Raycaster();
        const on = new THREE.Vector2((2 * (x - port.x)) / port.width - 1, 1 - (2 * (y - port.y)) / port.height);
        ray.setFromCamera(on, this.camera);
        return { index, x, y, port, ray };
    }

    /** The dynamic body under a point of the page: where it is held in its frame and in the world, and the plane it is pulled in. */
    grip(clientX: number, clientY: number): { body: number; point: THREE.Vector3; at: THREE.Vector3; plane: THREE.Plane } | null {
        const { index, ray } = this.at(clientX, clientY);
        const lane = this.lanes[index];
        const hit = lane?.bodies.hit(ray) ?? null;
        if (hit === null || lane?.frame === null || lane === undefined || this.scene?.bodies[hit.body].kind !== "dynamic") {
            return null;
        }
        const point = hit.point.clone().sub(this.placeOf(lane.frame, hit.body));
        point.applyQuaternion(this.turnOf(lane.frame, hit.body).invert());
        const facing = this.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point);
        return { body: hit.body, point, at: this.fromScene(hit.point), plane };
    }

    /** The point of a plane under a point of the page, in the world. */
    onPlane(clientX: number, clientY: number, plane: THREE.Plane): THREE.Vector3 | null {
        const met = this.at(clientX, clientY).ray.ray.intersectPlane(plane, new THREE.Vector3());
        return met === null ? null : this.fromScene(met);
    }

    private fromScene(point: THREE.Vector3): THREE.Vector3 {
        return point.clone().add(new THREE.Vector3(...(this.scene?.origin ?? [0, 0, 0])));
    }

    /** What is at a point of the page. Contacts that are drawn go first. */
    pick(clientX: number, clientY: number, look: Look): Selection | null {
        const { index, x, y, port, ray } = this.at(clientX, clientY);
        const lane = this.lanes[index];
        if (lane?.frame === null || lane === undefined) {
            return null;
        }
        if (look.points || look.forces) {
            const contact = this.nearestContact(lane.frame, x - port.x, y - port.y, port);
            if (contact !== null) {
                return { lane: index, contact };
            }
        }
        const body = lane.bodies.pick(ray);
        return body === null ? null : { lane: index, body };
    }

    private nearestContact(frame: Frame, x: number, y: number, port: Viewport): number | null {
        let nearest: number | null = null;
        let reach = CONTACT_REACH;
        const point = new THREE.Vector3();
        for (let c = 0; c < frame.contactCount; c++) {
            point.fromArray(frame.contacts, c * CONTACT_WORDS + 2).project(this.camera);
            const dx = ((point.x + 1) / 2) * port.width - x;
            const dy = ((1 - point.y) / 2) * port.height - y;
            const distance = Math.hypot(dx, dy);
            if (distance < reach && point.z < 1) {
                reach = distance;
                nearest = c;
            }
        }
        return nearest;
    }
}
