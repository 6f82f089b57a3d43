export declare const folder: string;
export declare const packages: Record<string, string>;
export declare function isInstalled(name: string): boolean;
export declare function versionOf(name: string): string;
export declare const requirePeer: NodeJS.Require;
