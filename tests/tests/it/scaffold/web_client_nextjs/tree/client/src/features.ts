/** Whether the bot receives the user's camera. */
export const CAMERA: boolean = false;

/** Whether the bot sends video. */
export const PICTURE: boolean = false;
