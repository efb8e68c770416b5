//! Tests for the order of the questions: going forward, going back, and the effect of an answer on later questions.

use bot_cli_protocol::failure::Exit;
use serde_json::json;

use super::{BACK, ENTER, keys, nothing_given, said, switches, talk, whole, whole_draft};
use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::{Feature, Setting};
use crate::plan;
use crate::resolve::resolve;
use crate::wizard::{Selection, Way};

#[test]
fn goes_back_from_every_question_to_the_one_before() {
    let walk = whole();
    for at in 1..walk.len() {
        let mut says = said(&walk[..at]);
        says.push(json!(BACK));
        // The previous question is asked again with its earlier answer.
        says.push(json!(ENTER));
        says.extend(said(&walk[at..]));
        let (result, asked) = talk(&nothing_given(), &says);
        assert_eq!(asked[at + 1].key, walk[at - 1].0);
        assert_eq!(asked[at + 1].default.as_ref(), Some(&walk[at - 1].1));
        assert_eq!(
            result.unwrap().draft,
            whole_draft(),
            "back from {}",
            walk[at].0
        );
    }
}

#[test]
fn the_summary_can_cancel() {
    let mut says = said(&whole());
    *says.last_mut().unwrap() = json!("cancel");
    let cancelled = talk(&nothing_given(), &says).0.unwrap_err();
    assert_eq!(cancelled.exit, Exit::Cancelled);
}

#[test]
fn asks_nothing_that_is_settled() {
    let mut draft = Draft {
        switches: switches(&[(Feature::Eval, Some(true))]),
        ..whole_draft()
    };
    draft.put(Setting::Mode, ["realtime"]);
    let given = Selection {
        way: Some(Way::Scaffold),
        draft,
        ..nothing_given()
    };
    let (_, asked) = talk(&given, &[json!("no-such-folder"), json!("openai_realtime")]);
    assert_eq!(keys(&asked), ["target", "realtime", "confirm"]);
}

#[test]
fn a_telephone_bot_is_asked_for_no_picture() {
    let walk = [
        ("target", json!("no-such-folder")),
        ("way", json!("scaffold")),
        ("name", json!("My Bot")),
        ("bot_type", json!("telephony")),
        ("transport", json!(["carrier_a", "p2p_webrtc"])),
        ("mode", json!("realtime")),
        ("realtime", json!("openai_realtime")),
        ("features", json!(["transcription"])),
        ("deploy_to_cloud", json!(false)),
        ("eval", json!(true)),
        ("confirm", json!("create")),
    ];
    let (result, asked) = talk(&nothing_given(), &said(&walk));
    assert_eq!(keys(&asked), walk.each_ref().map(|(key, _)| *key));
    assert_eq!(asked[4].default.as_ref(), Some(&walk[4].1));
    assert!(
        asked[7]
            .choices
            .iter()
            .all(|choice| !choice.value.starts_with("video"))
    );
    let draft = result.unwrap().draft;
    for feature in [Feature::VideoInput, Feature::VideoOutput] {
        assert_eq!(draft.switch(feature), None);
    }
    plan::scaffold(&resolve(&draft, None, Catalogue::built_in()).unwrap()).unwrap();
}

#[test]
fn a_bot_with_a_face_sends_its_picture_unasked() {
    let mut walk = whole();
    let video = walk.iter().position(|(key, _)| *key == "video").unwrap();
    walk[video].1 = json!("tavus_video");
    walk[video + 1].1 = json!(["recording"]);
    let (result, asked) = talk(&nothing_given(), &said(&walk));
    let offered = &asked[video + 1].choices;
    assert!(offered.iter().all(|choice| choice.value != "video_output"));
    assert!(
        resolve(&result.unwrap().draft, None, Catalogue::built_in())
            .unwrap()
            .has(Feature::VideoOutput)
    );
}

#[test]
fn the_summary_says_everything() {
    let (_, asked) = talk(&nothing_given(), &said(&whole()));
    let summary = asked.last().unwrap().details.as_deref().unwrap();
    let expected = "\
Folder              no-such-folder
Project name        My Bot
Bot type            Web
Transports          p2p_webrtc (SmallWebRTC, peer to peer)
Pipeline            Cascade
Speech-to-text      Deepgram
Language model      OpenAI
Text-to-speech      Cartesia
Video avatar        None
Extras              Recording, Video output
Web client          React
Client server       Next.js
Cloud deployment    yes
Noise cancellation  yes
Evals               no";
    assert_eq!(summary, expected);
}
