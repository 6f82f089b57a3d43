/** Types of folder.mjs. */
export declare const folder: string;
export declare const packages: Record<string, string>;
export declare const plotting: Record<string, string>;
export declare function isInstalled(name: string): boolean;
export declare function versionOf(name: string): string;
export declare const requirePeer: NodeJS.Require;
export declare function importPeer(name: string): Promise<unknown>;
