export declare function findSingleFileObstacle(): string | undefined;
export declare function buildOwnSingleFile<Result>(use: (file: string) => Promise<Result>): Promise<Result>;
export declare function buildOwnRelease(): Promise<{ readonly out: string; close(): Promise<void> }>;
