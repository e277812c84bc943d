/**
 * Properties draw the same values in every run: a test that fails shows a fault of the change, not of the draw. All
 * tests import fast-check from here.
 */

import fc from "fast-check";

fc.configureGlobal({ seed: 20_261_122 });

export default fc;
