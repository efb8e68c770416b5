/** Whether the bot receives the user's camera. */
export const CAMERA: boolean = true;

/** Whether the bot sends video. */
export const PICTURE: boolean = true;
