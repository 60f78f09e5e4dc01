export declare function findSingleFileObstacle(): string | undefined;
export declare function buildOwnSingleFile(use: (file: string) => Promise<void>): Promise<void>;
