//! Every identifier that a configuration may hold. Removing or renaming one breaks its users' files.

use super::{BotType, Catalogue, Kind};

const STT: &[&str] = &[
    "assemblyai_stt",
    "aws_transcribe_stt",
    "azure_stt",
    "cartesia_stt",
    "cartesia_turns_stt",
    "deepgram_flux_sagemaker_stt",
    "deepgram_flux_stt",
    "deepgram_sagemaker_stt",
    "deepgram_stt",
    "elevenlabs_realtime_stt",
    "elevenlabs_stt",
    "fal_stt",
    "gemini_stt",
    "gladia_stt",
    "google_stt",
    "gradium_stt",
    "groq_stt",
    "meta_stt",
    "mistral_stt",
    "moonshine_stt",
    "nvidia_sagemaker_stt",
    "nvidia_stt",
    "openai_realtime_stt",
    "openai_stt",
    "sarvam_stt",
    "smallest_stt",
    "soniox_stt",
    "speechmatics_stt",
    "whisper_stt",
    "xai_stt",
    "zoom_ai_stt",
];
const LLM: &[&str] = &[
    "anthropic_llm",
    "aws_bedrock_llm",
    "azure_llm",
    "baseten_llm",
    "cerebras_llm",
    "crusoe_llm",
    "deepseek_llm",
    "fireworks_llm",
    "google_gemini_llm",
    "google_vertex_llm",
    "groq_llm",
    "inception_llm",
    "mistral_llm",
    "novita_llm",
    "nvidia_llm",
    "ollama_llm",
    "openai_llm",
    "openai_responses_llm",
    "openrouter_llm",
    "perplexity_llm",
    "qwen_llm",
    "sambanova_llm",
    "sarvam_llm",
    "smallest_llm",
    "together_llm",
    "xai_llm",
];
const TTS: &[&str] = &[
    "asyncai_tts",
    "aws_polly_tts",
    "azure_tts",
    "bland_tts",
    "camb_tts",
    "cartesia_tts",
    "deepgram_flux_sagemaker_tts",
    "deepgram_flux_tts",
    "deepgram_sagemaker_tts",
    "deepgram_tts",
    "elevenlabs_dialogue_tts",
    "elevenlabs_tts",
    "fish_tts",
    "gemini_tts",
    "google_tts",
    "gradium_tts",
    "groq_tts",
    "hume_tts",
    "inworld_tts",
    "kokoro_tts",
    "minimax_tts",
    "mistral_tts",
    "neuphonic_tts",
    "nvidia_sagemaker_tts",
    "nvidia_tts",
    "openai_tts",
    "piper_tts",
    "pocket_tts",
    "resemble_tts",
    "rime_tts",
    "sarvam_tts",
    "smallest_tts",
    "soniox_tts",
    "speechify_tts",
    "xai_tts",
    "xtts_tts",
];
const REALTIME: &[&str] = &[
    "aws_nova_realtime",
    "azure_realtime",
    "azure_voice_live_realtime",
    "gemini_live_realtime",
    "gemini_vertex_live_realtime",
    "openai_realtime",
    "ultravox_realtime",
    "xai_realtime",
];
const VIDEO: &[&str] = &["heygen_video", "simli_video", "tavus_video"];
const WEB: &[&str] = &["hosted_rtc", "livekit", "p2p_webrtc", "websocket"];
const TELEPHONY: &[&str] = &[
    "carrier_a",
    "carrier_a_hosted_rtc_sip_dialin",
    "carrier_a_hosted_rtc_sip_dialout",
    "carrier_b",
    "carrier_c",
    "carrier_d",
    "hosted_rtc_pstn_dialin",
    "hosted_rtc_pstn_dialout",
];

#[test]
fn holds_every_service() {
    for (kind, expected) in [
        (Kind::Stt, STT),
        (Kind::Llm, LLM),
        (Kind::Tts, TTS),
        (Kind::Realtime, REALTIME),
        (Kind::Video, VIDEO),
    ] {
        let mut found: Vec<&str> = Catalogue::get()
            .services(kind)
            .map(|service| service.id.as_str())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{kind:?}");
    }
}

#[test]
fn holds_every_transport() {
    for (bot_type, expected) in [(BotType::Web, WEB), (BotType::Telephony, TELEPHONY)] {
        let mut found: Vec<&str> = Catalogue::get()
            .transports(bot_type)
            .map(|transport| transport.id.as_str())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{bot_type:?}");
    }
}

#[test]
fn counts_116() {
    let counts = [STT, LLM, TTS, REALTIME, VIDEO, WEB, TELEPHONY].map(<[&str]>::len);
    assert_eq!(counts.iter().sum::<usize>(), 116);
}
