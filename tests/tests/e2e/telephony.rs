//! Calls to and from a generated bot. A stand-in for each carrier fetches the answer document, opens the media stream and listens.

mod acts;
mod rooms;
mod whatsapp;

use std::fs;
use std::path::Path;

use crate::bot::{Bot, KEYS, TOLERANCE, VOICE, assert_voice, drive, redirected};
use crate::running::Running;

/// The caller's pitch, in hertz.
const HUM: f64 = 440.0;

#[test]
fn a_call_through_twilio_is_greeted_and_recorded() {
    call("carrier_a", "twilio");
}

#[test]
fn a_call_through_telnyx_is_greeted_and_recorded() {
    call("carrier_b", "telnyx");
}

#[test]
fn a_call_through_plivo_is_greeted_and_recorded() {
    call("carrier_c", "plivo");
}

#[test]
fn a_call_through_exotel_is_greeted_and_recorded() {
    call("carrier_d", "exotel");
}

/// The user's handler ends the call. The caller stays on the line until then.
#[test]
fn a_call_that_the_bot_ends_is_recorded() {
    let bot = Bot::over(&["carrier_d"], &["--recording"]);
    bot.handle(
        r#"
    @assistant_aggregator.event_handler("on_assistant_turn_stopped")
    async def on_assistant_turn_stopped(aggregator, message):
        await worker.end()
"#,
    );
    let (running, address) = bot.run(&["-t", "exotel", "-x", "bot.example.com"], &KEYS);
    drive("stand_in_carrier.py", &["exotel", &address, "--stays"]);
    assert_recorded(&bot, running);
}

/// Tests a call from the first ring to the recording.
fn call(transport: &str, carrier: &str) {
    let bot = Bot::over(&[transport], &["--recording"]);
    // Twilio, which is asked who calls, is out of order.
    let twilio = redirected("STAND_IN_TWILIO", "http://127.0.0.1:9");
    let variables = [&KEYS[..], &twilio].concat();
    let (running, address) = bot.run(&["-t", carrier, "-x", "bot.example.com"], &variables);
    let hum = HUM.to_string();
    let heard = drive("stand_in_carrier.py", &[carrier, &address, "--hum", &hum]);
    assert_voice(&heard, carrier);
    assert_recorded(&bot, running);
}

/// Asserts that a recording has the caller on the left channel and the bot on the right.
fn assert_recorded(bot: &Bot, mut running: Running) {
    running.line_with("Recording saved to");
    let mut recordings = fs::read_dir(bot.server.join("recordings")).unwrap();
    let file = recordings.next().unwrap().unwrap().path();
    for (pitch, expected) in pitches(&file).into_iter().zip([HUM, VOICE]) {
        assert!(
            (pitch - expected).abs() < TOLERANCE,
            "{pitch}, not {expected}"
        );
    }
}

/// Returns the typical pitch of a recording's left and right channels, in hertz.
fn pitches(wav: &Path) -> [f64; 2] {
    let bytes = fs::read(wav).unwrap();
    let rate = u32::from_le_bytes(bytes[24..28].try_into().unwrap());
    let samples: Vec<i16> = bytes[44..]
        .chunks_exact(2)
        .map(|pair| i16::from_le_bytes(pair.try_into().unwrap()))
        .collect();
    [0, 1].map(|side| {
        let channel: Vec<i16> = samples.iter().skip(side).step_by(2).copied().collect();
        let rises: Vec<usize> = (1..channel.len())
            .filter(|&place| channel[place - 1] < 0 && channel[place] >= 0)
            .collect();
        let mut periods: Vec<usize> = rises.windows(2).map(|pair| pair[1] - pair[0]).collect();
        periods.sort_unstable();
        let usual = *periods.get(periods.len() / 2).unwrap_or(&usize::MAX);
        f64::from(rate) / f64::from(u32::try_from(usual).unwrap_or(u32::MAX))
    })
}
