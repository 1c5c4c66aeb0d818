// SPDX-License-Identifier: MIT
// What both pages draw: a knot of brass above a floor of tiles, with a light.

/// A canvas with eight by eight squares.
function tiles() {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  const context = canvas.getContext('2d');
  for (let y = 0; y < 8; ++y)
    for (let x = 0; x < 8; ++x) {
      context.fillStyle = (x + y) % 2 ? '#c8ccd4' : '#40567a';
      context.fillRect(16 * x, 16 * y, 16, 16);
    }
  return canvas;
}

export function build(THREE) {
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0x8fb2d9);
  const texture = new THREE.CanvasTexture(tiles());
  texture.anisotropy = 8;
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(12, 12), new THREE.MeshStandardMaterial({ map: texture }));
  floor.rotation.x = -Math.PI / 2;
  floor.position.y = -1.3;
  const knot = new THREE.Mesh(new THREE.TorusKnotGeometry(0.9, 0.3, 120, 24), new THREE.MeshStandardMaterial({ color: 0xddaa44, roughness: 0.35 }));
  const sun = new THREE.DirectionalLight(0xffffff, 2.5);
  sun.position.set(3, 4, 2);
  scene.add(floor, knot, sun, new THREE.AmbientLight(0xffffff, 0.6));
  const camera = new THREE.PerspectiveCamera(50, 4 / 3, 0.1, 50);
  camera.position.set(2.2, 1.8, 3.8);
  camera.lookAt(0, -0.2, 0);
  return { scene, camera };
}
