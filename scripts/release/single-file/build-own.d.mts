export declare function findSingleFileObstacle(): string | undefined;
export declare function buildOwnSingleFile(use: (file: string) => Promise<void>): Promise<void>;
export declare function buildOwnRelease(): Promise<{ readonly out: string; close(): Promise<void> }>;
