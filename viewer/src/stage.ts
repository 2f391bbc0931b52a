// The 3D view: one canvas, one camera, and a viewport per lane.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Bodies, type Colouring } from "./bodies";
import { palette, type Theme } from "./colours";
import { Contacts, type ContactLook } from "./contacts";
import { Joints } from "./joints";
import { CONTACT_WORDS, type Frame, type Scene } from "./protocol";

export interface Look extends ContactLook {
    colouring: Colouring;
    seeThrough: boolean;
}

export type Selection = { lane: number; body: number } | { lane: number; contact: number };

export interface Viewport {
    x: number;
    y: number;
    width: number;
    height: number;
}

/** How near a click must be to a contact [px]. */
const CONTACT_REACH = 12;

interface LaneView {
    world: THREE.Scene;
    bodies: Bodies;
    contacts: Contacts;
    joints: Joints;
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
    private centre = new THREE.Vector3();
    private size = 1;

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
        this.controls.addEventListener("change", () => this.touch());
    }

    /** Asks for a new picture. */
    touch(): void {
        this.dirty = true;
    }

    load(scene: Scene, laneCount: number): void {
        this.clear();
        for (let lane = 0; lane < laneCount; lane++) {
            const world = new THREE.Scene();
            const bodies = new Bodies(scene);
            const contacts = new Contacts(scene, bodies.typicalRadius());
            const joints = new Joints(scene);
            const sky = new THREE.HemisphereLight();
            const sun = new THREE.DirectionalLight(0xffffff, 2.2);
            sun.castShadow = true;
            sun.shadow.mapSize.set(2048, 2048);
            sun.shadow.radius = 5;
            world.add(bodies.root, contacts.root, joints.root, sky, sun, sun.target);
            this.lanes.push({ world, bodies, contacts, joints, sky, sun, frame: null });
        }
        this.paint(this.theme);
    }

    private clear(): void {
        for (const lane of this.lanes) {
            lane.bodies.dispose();
            lane.contacts.dispose();
            lane.joints.dispose();
            lane.sun.shadow.dispose();
        }
        this.lanes = [];
    }

    paint(theme: Theme): void {
        this.theme = theme;
        const colours = palette(theme);
        for (const { world, bodies, contacts, joints, sky, sun } of this.lanes) {
            world.background = new THREE.Color(colours.background);
            bodies.paint(theme);
            contacts.paint(theme);
            joints.paint(theme);
            sky.color.set(theme === "dark" ? "#cfd8e3" : "#ffffff");
            sky.groundColor.set(theme === "dark" ? "#3a3f47" : "#b9b4ac");
            sky.intensity = theme === "dark" ? 1.9 : 2.3;
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
        this.touch();
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
        const narrow = Math.min(1, this.camera.aspect);
        const distance = (1.08 * this.size) / (Math.sin((this.camera.fov * Math.PI) / 360) * narrow);
        const direction = fromHome
            ? new THREE.Vector3(0.52, -1, 0.42)
            : this.camera.position.clone().sub(this.controls.target);
        this.camera.position.copy(this.centre).addScaledVector(direction.normalize(), distance);
        this.camera.near = 0.01 * this.size;
        this.camera.far = 200 * this.size;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(this.centre);
        this.controls.minDistance = 0.05 * this.size;
        this.controls.maxDistance = 40 * this.size;
        this.controls.update();
        this.touch();
    }

    /** Sun and floor of a lane, to the size of the scene. */
    private place({ sun, bodies }: LaneView): void {
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

    /** Draws if anything changed. */
    render(): void {
        this.controls.update();
        if (!this.dirty) {
            return;
        }
        this.dirty = false;
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

    /** What is at a point of the page. Contacts that are drawn go first. */
    pick(clientX: number, clientY: number, look: Look): Selection | null {
        const bounds = this.canvas.getBoundingClientRect();
        const [x, y] = [clientX - bounds.left, clientY - bounds.top];
        const ports = this.viewports();
        const index = ports.findIndex((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
        const lane = this.lanes[index];
        if (lane?.frame === null || lane === undefined) {
            return null;
        }
        const port = ports[index];
        if (look.points || look.forces) {
            const contact = this.nearestContact(lane.frame, x - port.x, y - port.y, port);
            if (contact !== null) {
                return { lane: index, contact };
            }
        }
        const ray = new THREE.Raycaster();
        const at = new THREE.Vector2((2 * (x - port.x)) / port.width - 1, 1 - (2 * (y - port.y)) / port.height);
        ray.setFromCamera(at, this.camera);
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
