import { type ServiceManager, type ServicePlaces, type ServiceProgram } from "./service-manager.ts";
export declare const UNIT = "toolhive.service";
export declare function systemd({ home, env }: ServicePlaces): ServiceManager;
/** @param origin One line without a line break: who wrote the file. The packages for Linux hold this unit, too. */
export declare function describeUnit({ command, env }: ServiceProgram, origin: string): string;
