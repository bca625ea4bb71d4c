// The three.js scene: two robots from one URDF, the floor, and marks of balance. World frame: x forward, z up, metres.
import * as three from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import URDFLoader, { type URDFRobot } from 'urdf-loader';
import { kDeg } from '../data/format.ts';
import { balance, cursor, errorOf, joints, poses, rings } from '../data/state.ts';
import { dark, palette } from '../ui/theme.ts';
import { BalanceMarks } from './marks.ts';
import { kRamp, rampColour } from './ramp.ts';

const kUrdf = '/robot/robot.urdf';
const kRatio = 1.5;   // at most this many pixels per CSS pixel: more costs time and shows nothing

/** A robot of the scene, and where its joints and links come from. */
interface RobotDrawing { robot: URDFRobot; skins: Map<string, three.MeshStandardMaterial>; ink: three.LineBasicMaterial; base: three.Object3D }

export class Scene {
  /** True while the camera still moves. */
  moving = true;
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(32, 1, 0.01, 20);
  private readonly controls: OrbitControls;
  private readonly marks = new BalanceMarks();
  private readonly size: ResizeObserver;
  private readonly world = new three.Group();   // objects given in the world's frame
  private readonly legs: number;                 // m from the pelvis to the lowest point
  private readonly floor: three.GridHelper[];
  private readonly lights: three.HemisphereLight;
  private shownDark: boolean | null = null;
  private settle = 0;

  /** Loads the robot and starts; fails with a message for the page. */
  static async open(box: HTMLElement): Promise<Scene> {
    let text: string;
    try {
      const answer = await fetch(kUrdf);
      if (!answer.ok) throw new Error(String(answer.status));
      text = await answer.text();
    } catch {
      throw new Error('The model of the robot could not be loaded from the server.');
    }
    try {
      return new Scene(box, text);
    } catch (error) {
      throw new Error(`This browser shows no 3D (${(error as Error).message}). Everything else works without.`);
    }
  }

  private readonly robot: RobotDrawing;
  private readonly twin: RobotDrawing;

  private constructor(private readonly box: HTMLElement, urdf: string) {
    this.renderer = new three.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(kRatio, devicePixelRatio || 1));
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute('role', 'img');
    this.renderer.domElement.setAttribute('aria-label', 'Robot and twin in 3D. Drag: rotate. Wheel: zoom. Right button: pan.');
    box.prepend(this.renderer.domElement);

    this.camera.up.set(0, 0, 1);
    this.camera.position.set(0.72, -0.5, 0.34);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.target.set(0, 0, 0.155);
    this.controls.maxPolarAngle = Math.PI * 0.52;
    this.controls.minDistance = 0.2;
    this.controls.maxDistance = 5;
    this.controls.addEventListener('change', () => { this.moving = true; });

    this.lights = new three.HemisphereLight(0xffffff, 0x8090a0, 2.1);
    const sun = new three.DirectionalLight(0xffffff, 1.7);
    sun.position.set(1, -0.6, 2);
    this.floor = [new three.GridHelper(4, 40), new three.GridHelper(4, 8)];
    for (const grid of this.floor) { grid.rotation.x = Math.PI / 2; this.scene.add(grid); }
    this.floor[1].position.z = 0.0004;
    this.robot = this.draw(urdf, false);
    this.twin = this.draw(urdf, true);
    this.world.add(this.robot.base, this.twin.base, this.marks.group);
    this.scene.add(this.lights, sun, this.world);
    // on the stand the pelvis is the world's origin: it is shown so high that straight legs would just reach the floor
    this.legs = -lowest(this.twin);

    this.size = new ResizeObserver(() => this.resize());
    this.size.observe(box);
    this.resize();
  }

  close(): void {
    this.size.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.domElement.remove();
  }

  /** Draws the present state, or that under the time cursor. */
  paint(): void {
    this.moving = this.settle-- > 0;
    if (this.shownDark !== dark.value) this.applyTheme();
    this.pose(this.robot, 'measured', ['measured/base_link', 'base_link']);
    this.pose(this.twin, 'simulated', ['base_link']);
    const pelvis = poses.get('base_link');
    this.world.position.z = pelvis && pelvis.p[2] < this.legs / 4 && Math.abs(pelvis.p[0]) + Math.abs(pelvis.p[1]) < 1e-6 ? this.legs - pelvis.p[2] : 0;
    this.colourTwin();
    this.marks.update(balance.value);
    this.follow();
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }

  private draw(urdf: string, ghost: boolean): RobotDrawing {
    const loader = new URDFLoader();
    loader.packages = '/robot';
    loader.workingPath = '/robot/';
    const robot = loader.parse(urdf);
    const skins = new Map<string, three.MeshStandardMaterial>();
    const meshes: three.Mesh[] = [];
    robot.traverse((part) => {
      if (!(part instanceof three.Mesh)) return;
      const joint = jointOf(part);
      let skin = skins.get(joint);
      if (!skin) {
        // the translucent twin is slightly behind: where both coincide the robot is visible, without flicker
        skin = new three.MeshStandardMaterial({ roughness: 0.8, metalness: 0, transparent: ghost, opacity: ghost ? 0.5 : 1, depthWrite: !ghost,
          polygonOffset: ghost, polygonOffsetFactor: 3, polygonOffsetUnits: 12 });
        skins.set(joint, skin);
      }
      part.material = skin;
      if (ghost) part.renderOrder = 2;
      meshes.push(part);
    });
    // edges make boxes readable; those of the twin too
    const ink = new three.LineBasicMaterial({ transparent: true, opacity: ghost ? 0.7 : 0.5 });
    for (const mesh of meshes) {
      const edges = new three.LineSegments(new three.EdgesGeometry(mesh.geometry, 25), ink);
      mesh.add(edges);
    }
    const base = new three.Group();
    base.add(robot);
    return { robot, skins, ink, base };
  }

  private pose(f: RobotDrawing, curve: 'measured' | 'simulated', frames: string[]): void {
    const names = joints.value;
    const t = cursor.value;
    names.forEach((name, i) => {
      const q = t === null ? rings[curve].newest(i) : rings[curve].at(i, t);
      if (!Number.isNaN(q)) f.robot.setJointValue(name, q);
    });
    const pose = frames.map((n) => poses.get(n)).find((p) => p);
    if (pose) {
      f.base.position.fromArray(pose.p);
      f.base.quaternion.fromArray(pose.q);
    } else {
      stand(f);
    }
  }

  private colourTwin(): void {
    const colours = kRamp(dark.value);
    joints.value.forEach((name, i) => {
      const skin = this.twin.skins.get(name);
      if (!skin) return;
      const error = errorOf(i, cursor.value);
      skin.color.setRGB(...rampColour(Number.isNaN(error) ? 0 : error * kDeg, colours), three.SRGBColorSpace);
    });
  }

  // the camera goes along with the robot, smoothly
  private follow(): void {
    const goal = this.twin.base.position;
    const target = this.controls.target;
    const dx = (goal.x - target.x) * 0.1;
    const dy = (goal.y - target.y) * 0.1;
    if (Math.hypot(dx, dy) < 1e-4) return;
    target.x += dx;
    target.y += dy;
    this.camera.position.x += dx;
    this.camera.position.y += dy;
    this.settle = 5;
  }

  private applyTheme(): void {
    this.shownDark = dark.value;
    const p = palette.value;
    for (const [grid, opacity] of [[this.floor[0], 0.5], [this.floor[1], 0.9]] as const) {
      const material = grid.material as three.LineBasicMaterial;
      material.vertexColors = false;
      material.color.set(dark.value ? '#2b3440' : '#d3dae1');
      material.transparent = true;
      material.opacity = opacity;
      material.needsUpdate = true;
    }
    this.lights.intensity = dark.value ? 1.5 : 2.1;
    for (const skin of this.robot.skins.values()) skin.color.set(dark.value ? '#5f93bd' : '#a9c9e4');
    this.robot.ink.color.set(dark.value ? '#0f1a24' : '#3d5f7d');
    this.twin.ink.color.set(p.twin);
    for (const skin of this.twin.skins.values()) skin.color.set(kRamp(dark.value)[0]);
    this.marks.colours(p);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width < 10 || height < 10) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.moving = true;
  }
}

// name of the joint that moves a part; '' for the root
function jointOf(part: three.Object3D): string {
  for (let at: three.Object3D | null = part; at; at = at.parent) {
    if ((at as any).isURDFJoint && (at as any).jointType !== 'fixed') return at.name;
  }
  return '';
}

// without a pose of the base: on its lowest point
function stand(f: RobotDrawing): void {
  f.base.position.set(0, 0, 0);
  f.base.quaternion.identity();
  f.base.position.z = -lowest(f);
}

// z of a drawing's lowest point, m; 0 of an empty one
const box = new three.Box3();
function lowest(f: RobotDrawing): number {
  f.base.updateMatrixWorld(true);
  box.setFromObject(f.robot);
  return Number.isFinite(box.min.z) ? box.min.z : 0;
}
