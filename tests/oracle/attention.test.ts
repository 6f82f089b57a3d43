/** scaled_dot_product_attention against PyTorch. */
import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('attention', device);
