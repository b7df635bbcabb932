//! Names of protocols and variants.

/// An algorithm's accepted name: its protocol, and the variant if one is named. That of a controller from a file is whole: what stands
/// behind its colon tells its content.
pub(crate) fn split(algorithm: &str) -> (&str, Option<&str>) {
    match algorithm.split_once(':').filter(|(name, _)| cc::protocol(name).is_some()) {
        Some((name, variant)) if !variant.is_empty() => (name, Some(variant)),
        Some((name, _)) => (name, None),
        None => (algorithm, None),
    }
}

/// `name[:variant]` under our names. What is unknown stays as it is: the engine refuses it.
pub(crate) fn protocol_name(algorithm: &str) -> String {
    let (name, variant) = split(algorithm);
    let Some(protocol) = cc::protocol(name) else {
        return algorithm.into();
    };
    match variant {
        None => protocol.name.into(),
        Some(variant) => format!("{}:{}", protocol.name, protocol.variant(variant).map_or(variant, |known| known.name)),
    }
}

/// The variant that a profile runs where none is named.
pub(crate) fn variant_of_profile(name: &str, profile: &str) -> Option<&'static str> {
    Some(cc::protocol(name)?.variant_for_profile(profile)?.variant)
}

/// Says where a protocol has no variant of its own for a profile.
pub(crate) fn variant_note(algorithm: &str, profile: Option<&str>) -> Option<String> {
    let (name, variant) = split(algorithm);
    let profile = profile.unwrap_or_default();
    let row = cc::protocol(name)?.variant_for_profile(profile);
    if variant.is_some() || row.is_some_and(|row| row.belongs) {
        return None;
    }
    let runs = row.map_or("its paper", |row| row.variant);
    Some(format!("{name} has no variant for profile {profile}: {runs} runs on that profile's transport"))
}
