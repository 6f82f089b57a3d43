/** Loaded before all else by `torch-mtia/serialization`: see call-sites.ts. */
import { entryPointBegins } from '../../memory/call-sites.ts';

entryPointBegins();
