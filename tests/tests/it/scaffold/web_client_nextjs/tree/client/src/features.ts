/** The bot looks at the user's camera. */
export const CAMERA: boolean = false;

/** The bot sends a picture. */
export const PICTURE: boolean = false;
