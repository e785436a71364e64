/** Zoom factor of a button or key press. */
export const ZOOM_STEP = 1.6;
