//! Reading and changing a JSON file of the user's, with or without comments: an object's keys, lists and
//! their items. Everything that is not changed stays as it is.
//!
//! Not here: which keys and items (`hooks_json`, `status_line`).

use std::collections::HashSet;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::LeftAlone;
use super::lists::{Layout, List, indent, newline_of};

/// Comments and commas at the end are some agents' way; nothing else that is no JSON.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The object that a text is.
pub(super) fn object(text: &str) -> Result<Object<'_>, LeftAlone> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| LeftAlone(format!("does not parse ({error}): mend it, then try again")))?;
    let Some(Value::Object(object)) = parsed.value else {
        return Err(LeftAlone("holds no JSON object: mend it, then try again".to_owned()));
    };
    no_doubles(&object)?;
    Ok(object)
}

fn no_doubles(object: &Object<'_>) -> Result<(), LeftAlone> {
    let mut seen = HashSet::new();
    for property in &object.properties {
        let name = property.name.as_str();
        if !seen.insert(name) {
            return Err(LeftAlone(format!("has `{name}` twice: take one out, then try again")));
        }
        no_doubles_in(&property.value)?;
    }
    Ok(())
}

fn no_doubles_in(value: &Value<'_>) -> Result<(), LeftAlone> {
    match value {
        Value::Object(object) => no_doubles(object),
        Value::Array(list) => list.elements.iter().try_for_each(no_doubles_in),
        _ => Ok(()),
    }
}

/// How a text is laid out; its first key says how deep.
pub(super) fn layout(text: &str, root: &Object<'_>) -> Layout {
    let unit = root.properties.first().map(|first| first.start());
    let unit = unit.filter(|at| text[..*at].trim_end_matches([' ', '\t']).ends_with('\n'));
    let unit = unit.map(|at| indent(text, at)).filter(|unit| !unit.is_empty()).unwrap_or("  ");
    Layout { newline: newline_of(text), unit: unit.to_owned(), line_comment: "//" }
}

/// An object as a list of its properties.
pub(super) fn properties(object: &Object<'_>) -> List {
    let items = object.properties.iter().map(|property| property.start()..property.end()).collect();
    List { open: object.start() + 1, close: object.end() - 1, items }
}

/// A list.
pub(super) fn elements(list: &Array<'_>) -> List {
    let items = list.elements.iter().map(|element| element.start()..element.end()).collect();
    List { open: list.start() + 1, close: list.end() - 1, items }
}

/// A value to write, its keys in this order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Other(serde_json::Value),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn text(text: impl Into<String>) -> Json {
        Json::Other(text.into().into())
    }

    /// The same, without an order.
    pub(super) fn value(&self) -> serde_json::Value {
        match self {
            Json::Other(value) => value.clone(),
            Json::List(items) => items.iter().map(Json::value).collect(),
            Json::Map(map) => map.iter().map(|(key, value)| (key.clone(), value.value())).collect(),
        }
    }

    /// Written at an indentation, a line each; without one, in one line.
    pub(super) fn written(&self, layout: &Layout, at: Option<&str>) -> String {
        let within = at.map(|at| format!("{at}{}", layout.unit));
        let within = within.as_deref();
        let (ends, items): (_, Vec<String>) = match self {
            Json::Other(value) => return value.to_string(),
            Json::List(items) => {
                (['[', ']'], items.iter().map(|item| item.written(layout, within)).collect())
            }
            Json::Map(map) => {
                (['{', '}'], map.iter().map(|(key, value)| property(key, value, layout, within)).collect())
            }
        };
        let [open, close] = ends;
        match (at, within) {
            (Some(at), Some(within)) if !items.is_empty() => {
                let newline = layout.newline;
                let lines = items.join(&format!(",{newline}{within}"));
                format!("{open}{newline}{within}{lines}{newline}{at}{close}")
            }
            _ => format!("{open}{}{close}", items.join(", ")),
        }
    }
}

/// A key and its value, written.
pub(super) fn property(key: &str, value: &Json, layout: &Layout, at: Option<&str>) -> String {
    format!("{}: {}", serde_json::Value::from(key), value.written(layout, at))
}

/// Whether the text has this key at its top, and it is true.
pub(super) fn is_true(text: &str, key: &str) -> bool {
    let (_, text) = super::without_bom(text);
    object(text).is_ok_and(|root| root.get_boolean(key).is_some_and(|found| found.value))
}
