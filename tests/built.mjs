// Global setup of the test project `built`: its tests run what is in dist, so dist must be what src says.
import { ensure } from '../scripts/ensure.mjs';

export default function setup() {
  ensure();
}
