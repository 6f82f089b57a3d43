/** Where modules find Python's call signatures. */
export { missingText, Signature } from '../core/signature.ts';
