/** `torch.amp`: mixed precision. */
export { type Autocast, type AutocastOptions, autocast } from './autocast.ts';
export { type CustomForwardOptions, custom_bwd, custom_fwd } from './custom.ts';
export { is_autocast_available } from './settings.ts';
export { GradScaler, type GradScalerOptions, type GradScalerState } from './grad-scaler.ts';
