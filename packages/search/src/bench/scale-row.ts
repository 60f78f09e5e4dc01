/** What the benchmark of OpenSearch writes, and from which size on a cluster is worth its machines. */

export interface ClientsMeasurement {
  readonly clients: number;
  readonly searches: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ScaleRow {
  readonly records: number;
  readonly engine: "own" | "opensearch";
  /** 0 for the embedded engine. */
  readonly nodes: number;
  readonly shards: number;
  readonly replicas: number;
  /** From records to an index file, which both start from. */
  readonly buildS: number;
  /** From the index file to the first answer. */
  readonly loadS: number;
  /** From the start of building an index with one changed record until a search finds it. */
  readonly updateS: number;
  readonly clients: readonly ClientsMeasurement[];
  /** Resident, after the searches. */
  readonly serviceBytes: number;
  readonly nodesBytes: number;
  readonly diskBytes: number;
  /** Share of the queries with at least one hit. */
  readonly answered: number;
  /** Share of the queries whose first five hits are those of the embedded engine; of a cluster only. */
  readonly sameFirstFive?: number;
  readonly date: string;
  readonly loadBefore: number;
  readonly loadAfter: number;
}

/** The answers of a cluster beside those of the embedded engine, on the documentation's own site. */
export interface SiteComparison {
  readonly nodes: number;
  readonly pages: number;
  readonly records: number;
  /** Graded queries that were sent. */
  readonly queries: number;
  /** How many of them have the same first five hits in the same order. */
  readonly same: number;
  /** Beginnings of such queries, as readers type them. */
  readonly beginnings: number;
  readonly sameBeginnings: number;
  readonly date: string;
}

export interface Changeover {
  /** The smallest measured size at which a cluster answers many clients sooner. Undefined: at none. */
  readonly fasterFrom: number | undefined;
  /** The largest measured size. */
  readonly largest: number;
  /** Of a service with its own index, at the largest size. */
  readonly bytesPerRecord: number;
  /** Of a service that asks a cluster, at the largest size. */
  readonly bytesBesideCluster: number;
  /** Records whose index fills this memory. */
  readonly recordsThatFill: (bytes: number) => number;
}

/** @throws {Error} when there is no row of the embedded engine, or none of a cluster, at the largest size. */
export function findChangeover(rows: readonly ScaleRow[]): Changeover {
  const largest = Math.max(...rows.map(({ records }) => records));
  const readP99 = ({ clients }: ScaleRow): number => clients.at(-1)?.p99Ms ?? Number.POSITIVE_INFINITY;
  const findRows = (engine: ScaleRow["engine"], records: number): ScaleRow[] =>
    rows.filter((row) => row.engine === engine && row.records === records);
  const [own] = findRows("own", largest);
  const [cluster] = findRows("opensearch", largest);
  if (own === undefined || cluster === undefined)
    throw new Error(`One engine was not measured with ${largest} records`);
  const fasterAt = rows
    .filter((row) => row.engine === "own")
    .filter((row) => findRows("opensearch", row.records).some((other) => readP99(other) < readP99(row)))
    .map(({ records }) => records);
  const bytesPerRecord = own.serviceBytes / largest;
  return {
    fasterFrom: fasterAt.length === 0 ? undefined : Math.min(...fasterAt),
    largest,
    bytesPerRecord,
    bytesBesideCluster: cluster.serviceBytes,
    recordsThatFill: (bytes) => Math.floor(bytes / bytesPerRecord),
  };
}
