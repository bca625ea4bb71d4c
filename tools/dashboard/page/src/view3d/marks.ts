// Marks of balance: support polygon, centre of mass and its foot point, ZMP, reactions as arrows.
import * as three from 'three';
import type { Balance } from '../protocol/messages.ts';
import type { Palette } from '../ui/theme.ts';

const kMetresPerNewton = 0.012;   // the KHR-1's 12 N become 14 cm
const kMostArrows = 24;
const kMostCorners = 32;
const kLift = 0.0015;             // m above the floor, so that nothing flickers

export class BalanceMarks {
  readonly group = new three.Group();
  private readonly edge = new three.LineLoop(new three.BufferGeometry(), new three.LineBasicMaterial());
  private readonly area = new three.Mesh(new three.BufferGeometry(),
    new three.MeshBasicMaterial({ transparent: true, opacity: 0.16, side: three.DoubleSide, depthWrite: false }));
  private readonly com = new three.Mesh(new three.SphereGeometry(0.008, 16, 12), new three.MeshBasicMaterial({ depthTest: false, transparent: true }));
  private readonly drop = new three.Line(new three.BufferGeometry(), new three.LineDashedMaterial({ dashSize: 0.008, gapSize: 0.006 }));
  private readonly zmp = new three.Mesh(new three.RingGeometry(0.006, 0.01, 24), new three.MeshBasicMaterial({ side: three.DoubleSide, depthTest: false, transparent: true }));
  private readonly arrows: three.ArrowHelper[] = [];
  private arrowColour = new three.Color();
  private seen: Balance | null = null;

  constructor() {
    this.edge.geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(3 * kMostCorners), 3));
    this.area.geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(3 * kMostCorners), 3));
    this.drop.geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(6), 3));
    this.com.renderOrder = 5;
    this.zmp.renderOrder = 4;
    for (const part of [this.edge, this.area, this.com, this.drop, this.zmp]) { part.frustumCulled = false; part.visible = false; this.group.add(part); }
  }

  /** Takes the newest message; null leaves everything out. */
  update(b: Balance | null): void {
    if (b === this.seen) return;
    this.seen = b;
    this.polygon(b?.support ?? []);
    const com = b?.com ?? null;
    this.com.visible = this.drop.visible = com !== null;
    if (com) {
      this.com.position.set(com[0], com[1], com[2]);
      const line = this.drop.geometry.getAttribute('position') as three.BufferAttribute;
      line.setXYZ(0, com[0], com[1], com[2]);
      line.setXYZ(1, com[0], com[1], kLift);
      line.needsUpdate = true;
      this.drop.computeLineDistances();
    }
    this.zmp.visible = Boolean(b?.zmp);
    if (b?.zmp) this.zmp.position.set(b.zmp[0], b.zmp[1], 2 * kLift);
    this.reactions(b?.reactions ?? []);
  }

  colours(p: Palette): void {
    (this.edge.material as three.LineBasicMaterial).color.set(p.measured);
    (this.area.material as three.MeshBasicMaterial).color.set(p.measured);
    (this.com.material as three.MeshBasicMaterial).color.set(p.text);
    (this.drop.material as three.LineDashedMaterial).color.set(p.muted);
    (this.zmp.material as three.MeshBasicMaterial).color.set(p.error);
    this.arrowColour.set(p.error);
    for (const a of this.arrows) a.setColor(this.arrowColour);
  }

  // a convex polygon, corners in order
  private polygon(corners: number[][]): void {
    const n = Math.min(corners.length, kMostCorners);
    this.edge.visible = this.area.visible = n >= 3;
    if (n < 3) return;
    for (const part of [this.edge, this.area]) {
      const at = part.geometry.getAttribute('position') as three.BufferAttribute;
      for (let i = 0; i < n; ++i) at.setXYZ(i, corners[i][0], corners[i][1], kLift);
      at.needsUpdate = true;
      part.geometry.setDrawRange(0, part === this.area ? 3 * (n - 2) : n);
    }
    const fan: number[] = [];
    for (let i = 1; i + 1 < n; ++i) fan.push(0, i, i + 1);
    this.area.geometry.setIndex(fan);
  }

  private reactions(list: { point: number[]; force: number[] }[]): void {
    const direction = new three.Vector3();
    const shown = list.slice(0, kMostArrows);
    shown.forEach((r, i) => {
      const length = direction.fromArray(r.force).length() * kMetresPerNewton;
      let arrow = this.arrows[i];
      if (!arrow) {
        arrow = new three.ArrowHelper(new three.Vector3(0, 0, 1), new three.Vector3(), 0.1, this.arrowColour);
        this.arrows.push(arrow);
        this.group.add(arrow);
      }
      arrow.visible = length > 1e-4;
      if (!arrow.visible) return;
      arrow.position.fromArray(r.point);
      arrow.setDirection(direction.normalize());
      arrow.setLength(length, Math.min(0.02, 0.3 * length), Math.min(0.012, 0.2 * length));
    });
    for (let i = shown.length; i < this.arrows.length; ++i) this.arrows[i].visible = false;
  }
}
