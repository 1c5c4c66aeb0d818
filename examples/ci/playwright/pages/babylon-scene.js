// SPDX-License-Identifier: MIT
// What both pages of Babylon.js draw: a torus knot and two spheres above a floor of tiles, with a light that casts shadows.

/// A texture with eight by eight squares.
function tiles(scene) {
  const size = 128, texels = new Uint8Array(4 * size * size);
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x) texels.set(((x >> 4) + (y >> 4)) % 2 ? [200, 204, 212, 255] : [64, 86, 122, 255], 4 * (y * size + x));
  const texture = BABYLON.RawTexture.CreateRGBATexture(texels, size, size, scene, true, false, BABYLON.Texture.TRILINEAR_SAMPLINGMODE);
  texture.anisotropicFilteringLevel = 8;
  return texture;
}

/// The scene, with a material that is lit as photographs are (PBR) and two that are not.
export function build(engine) {
  const scene = new BABYLON.Scene(engine);
  scene.clearColor = new BABYLON.Color4(0.56, 0.7, 0.85, 1);
  const camera = new BABYLON.ArcRotateCamera('camera', 0.9, 1.15, 6.5, BABYLON.Vector3.Zero(), scene);
  camera.minZ = 0.1;
  camera.maxZ = 50;
  new BABYLON.HemisphericLight('sky', new BABYLON.Vector3(0, 1, 0), scene).intensity = 0.5;
  const sun = new BABYLON.DirectionalLight('sun', new BABYLON.Vector3(-1, -2, -1), scene);
  sun.position = new BABYLON.Vector3(4, 8, 4);
  const shadows = new BABYLON.ShadowGenerator(512, sun);
  shadows.usePercentageCloserFiltering = true;
  const floor = BABYLON.MeshBuilder.CreateGround('floor', { width: 12, height: 12 }, scene);
  floor.position.y = -1.3;
  floor.receiveShadows = true;
  floor.material = new BABYLON.StandardMaterial('tiles', scene);
  floor.material.diffuseTexture = tiles(scene);
  floor.material.specularColor = BABYLON.Color3.Black();
  const knot = BABYLON.MeshBuilder.CreateTorusKnot('knot', { radius: 0.9, tube: 0.3, radialSegments: 120, tubularSegments: 24 }, scene);
  knot.material = new BABYLON.PBRMaterial('brass', scene);
  knot.material.albedoColor = new BABYLON.Color3(0.87, 0.67, 0.27);
  knot.material.metallic = 0;
  knot.material.roughness = 0.4;
  shadows.addShadowCaster(knot);
  for (const [x, z, color] of [[2.2, -1.8, [0.7, 0.2, 0.2]], [1.6, 1.4, [0.2, 0.6, 0.3]]]) {
    const ball = BABYLON.MeshBuilder.CreateSphere(`ball ${x}`, { diameter: 0.8, segments: 16 }, scene);
    ball.position.set(x, -0.9, z);
    ball.material = new BABYLON.StandardMaterial(`color ${x}`, scene);
    ball.material.diffuseColor = new BABYLON.Color3(...color);
    shadows.addShadowCaster(ball);
  }
  return scene;
}
