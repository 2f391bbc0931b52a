// The plane of a half-space: a grid with lines of even width that fades out far away, and takes shadows.

import * as THREE from "three";
import type { Palette } from "./colours";

export class Floor {
    readonly mesh: THREE.Mesh;
    private readonly material: THREE.MeshStandardMaterial;
    private readonly line = { value: new THREE.Color() };
    private readonly reach = { value: 50 };
    private readonly spacing = { value: 1 };
    private readonly centre = { value: new THREE.Vector3() };

    constructor(readonly normal: THREE.Vector3) {
        this.material = new THREE.MeshStandardMaterial({ roughness: 1, metalness: 0, transparent: true });
        this.material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, {
                lineColour: this.line,
                reach: this.reach,
                spacing: this.spacing,
                centre: this.centre,
            });
            shader.vertexShader = shader.vertexShader
                .replace("#include <common>", "#include <common>\nvarying vec2 onPlane;\nvarying vec3 inWorld;")
                .replace(
                    "#include <begin_vertex>",
                    "#include <begin_vertex>\nonPlane = position.xy;\ninWorld = (modelMatrix * vec4(position, 1.0)).xyz;",
                );
            shader.fragmentShader = shader.fragmentShader
                .replace(
                    "#include <common>",
                    `#include <common>
varying vec2 onPlane;
varying vec3 inWorld;
uniform vec3 lineColour;
uniform float reach;
uniform float spacing;
uniform vec3 centre;
float lines(float width) {
    vec2 at = onPlane / width;
    vec2 slope = fwidth(at);
    vec2 distance = abs(fract(at - 0.5) - 0.5) / max(slope, vec2(1e-6));
    // Where lines would be closer than a few pixels they fade instead of flickering.
    float clear = 1.0 - smoothstep(0.1, 0.4, max(slope.x, slope.y));
    return (1.0 - min(min(distance.x, distance.y), 1.0)) * clear;
}`,
                )
                .replace(
                    "#include <color_fragment>",
                    `#include <color_fragment>
float ruled = max(0.4 * lines(spacing), 0.9 * lines(10.0 * spacing));
diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, ruled);
diffuseColor.a = 1.0 - smoothstep(0.25 * reach, reach, length(inWorld - centre));`,
                );
        };
        this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.material);
        this.mesh.receiveShadow = true;
        this.mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal.clone().normalize());
        this.mesh.renderOrder = -1;
    }

    /** Covers a scene of this size around a point. */
    cover(centre: THREE.Vector3, size: number): void {
        const reach = 14 * size;
        this.mesh.geometry.dispose();
        this.mesh.geometry = new THREE.PlaneGeometry(2 * reach, 2 * reach);
        this.reach.value = reach;
        this.centre.value.copy(centre);
        this.spacing.value = 10 ** Math.round(Math.log10(Math.max(size, 1e-6) / 6));
    }

    paint(colours: Palette): void {
        this.material.color.set(colours.floor);
        this.line.value.set(colours.line);
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.material.dispose();
    }
}
