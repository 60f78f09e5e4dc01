/**
 * The hero picture: one client, one proxy, servers in cells of their own. Each cell has one door, and one of them is in
 * use. Drawn with the page's colours, so it follows the colour mode without a second file.
 */
import styles from "./hero-picture.module.css";

const RADIUS = 62;
const HALF = (RADIUS * Math.sqrt(3)) / 2;

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly isCalled?: boolean;
}

const CELLS: readonly Cell[] = [
  { x: 372, y: 92, name: "fetch" },
  { x: 372 + 2 * HALF + 10, y: 92, name: "memory" },
  { x: 372 - HALF - 5, y: 192, name: "filesystem", isCalled: true },
  { x: 372 + HALF + 5, y: 192, name: "github" },
  { x: 372, y: 292, name: "everything" },
  { x: 372 + 2 * HALF + 10, y: 292, name: "time" },
];

/** A hexagon that stands on a corner, open in the middle of its left wall: the door. */
function walls(x: number, y: number): string {
  const door = 11;
  const half = RADIUS / 2;
  return (
    `M${(x - HALF).toFixed(1)} ${y - door}V${y - half}L${x} ${y - RADIUS}L${(x + HALF).toFixed(1)} ${y - half}` +
    `V${y + half}L${x} ${y + RADIUS}L${(x - HALF).toFixed(1)} ${y + half}V${y + door}`
  );
}

function core(x: number, y: number, radius: number): string {
  const half = (radius * Math.sqrt(3)) / 2;
  const corners = [
    [x, y - radius],
    [x + half, y - radius / 2],
    [x + half, y + radius / 2],
    [x, y + radius],
    [x - half, y + radius / 2],
    [x - half, y - radius / 2],
  ];
  return `M${corners.map(([cx, cy]) => `${cx?.toFixed(1)} ${cy?.toFixed(1)}`).join("L")}Z`;
}

export function HeroPicture() {
  return (
    <svg className={styles.picture} viewBox="0 0 560 384" role="img" aria-labelledby="hero-picture-title">
      <title id="hero-picture-title">
        A client reaches one server through the proxy. Every server sits in a cell of its own with a single door.
      </title>
      <rect className={styles.client} x="10" y="150" width="116" height="84" rx="10" />
      <path className={styles.client} d="M10 174H126" />
      <path className={styles.prompt} d="M26 190l9 8-9 8M42 207h20" />
      <text className={styles.label} x="68" y="258">
        your client
      </text>
      <path className={styles.proxy} d="M190 76V308" />
      <text className={styles.label} x="190" y="330">
        proxy
      </text>
      {CELLS.map(({ x, y, name, isCalled }) => (
        <g key={name}>
          <path className={isCalled ? styles.calledWalls : styles.walls} d={walls(x, y)} />
          <path className={isCalled ? styles.calledCore : styles.core} d={core(x, y - 8, 13)} />
          <text className={styles.label} x={x} y={y + 30}>
            {name}
          </text>
        </g>
      ))}
      <path className={styles.way} d="M126 192H298" />
      <path className={styles.call} d="M126 192H298" />
      <circle className={styles.gate} cx="190" cy="192" r="7" />
    </svg>
  );
}
