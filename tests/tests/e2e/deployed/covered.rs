//! Every transport of the catalogue has a conversation or a call here, as deployed where the hosting service can start it.

use bot_cli_templates::catalogue::{BotType, Catalogue};

const TESTS: [&str; 2] = [include_str!("../deployed.rs"), include_str!("elsewhere.rs")];

/// The transports, and the test that has the conversation.
const HELD: [(&str, &str); 16] = [
    ("carrier_a", EVERY),
    ("carrier_b", EVERY),
    ("carrier_c", EVERY),
    ("carrier_d", EVERY),
    ("hosted_rtc", EVERY),
    ("p2p_webrtc", EVERY),
    ("websocket", EVERY),
    (
        "hosted_rtc_pstn_dialin",
        "a_caller_through_daily_is_taken_over_and_greeted",
    ),
    (
        "hosted_rtc_pstn_dialout",
        "the_bot_calls_a_number_through_daily",
    ),
    (
        "carrier_a_hosted_rtc_sip_dialin",
        "a_caller_through_twilio_is_taken_over_and_greeted",
    ),
    (
        "carrier_a_hosted_rtc_sip_dialout",
        "the_bot_calls_a_number_through_twilio",
    ),
    ("whatsapp", "a_caller_on_whatsapp_is_greeted_and_known"),
    ("moq", "a_client_meets_the_bot_at_the_relay"),
    ("lemonslice", "an_avatar_speaks_for_the_bot"),
    ("livekit", "a_guest_in_a_livekit_room_is_answered"),
    ("vonage", "a_guest_in_a_vonage_session_is_greeted"),
];

const EVERY: &str = "one_bot_serves_every_transport_and_evals_one_after_the_other";

/// Those that the service starts no sessions of: there is no class for them in `pipecatcloud.agent`, or no room that they could
/// enter. Their bots run here as on a developer's machine, except that of `LemonSlice`, which enters a room that is open.
const BEHIND: [&str; 3] = ["lemonslice", "livekit", "vonage"];

#[test]
fn every_transport_has_a_conversation() {
    let catalogue = Catalogue::get();
    for transport in [BotType::Web, BotType::Telephony]
        .into_iter()
        .flat_map(|bot_type| catalogue.transports(bot_type))
    {
        let id = transport.id.as_str();
        let held = HELD.iter().find(|(of, _)| *of == id);
        let (_, test) = held.unwrap_or_else(|| panic!("no test has a conversation over {id}"));
        let begin = format!("\nfn {test}() {{\n");
        let body = TESTS.iter().find_map(|text| text.split(&begin).nth(1));
        let body = body.and_then(|rest| rest.split("\n}\n").next());
        assert!(
            body.is_some_and(|body| body.contains(&format!("\"{id}\""))),
            "there is no test {test} with {id}"
        );
        assert_eq!(
            transport.stays_behind.is_some(),
            BEHIND.contains(&id),
            "{id}: what the catalogue says of the hosting service is not what is tested"
        );
    }
}
