//! The schemas of the JSON that the program writes.

use std::fs;

use serde_json::Value;

/// A schema of `docs/`.
pub struct Schema(Value);

impl Schema {
    pub fn read(name: &str) -> Self {
        let path = format!("{}/docs/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        Schema(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    }

    /// Checks that a document is as the schema has it.
    #[track_caller]
    pub fn check(&self, document: &Value, name: &str) {
        if let Err(problem) = self.holds(&self.0, document) {
            panic!("{name}: {problem}");
        }
    }

    /// What a `$ref` refers to.
    fn part(&self, reference: &Value) -> &Value {
        let place = reference.as_str().unwrap().strip_prefix('#').unwrap();
        self.0.pointer(place).unwrap()
    }

    /// Holds a value against a part of the schema. Knows the keywords that the schemas use.
    fn holds(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let wrong = |keyword: &str| Err(format!("{value} is against {keyword} of {schema}"));
        for (keyword, rule) in schema.as_object().unwrap() {
            let length = |items: &Vec<Value>| items.len() as u64;
            let is_kept = match keyword.as_str() {
                // Those of numbers first: there are many.
                "$ref" => {
                    self.holds(self.part(rule), value)?;
                    true
                }
                "type" => match rule {
                    Value::Array(types) => types.iter().any(|name| is_of_type(value, name)),
                    name => is_of_type(value, name),
                },
                "minimum" => value.as_f64().is_none_or(|it| it >= rule.as_f64().unwrap()),
                "maximum" => value.as_i64().is_none_or(|it| it <= rule.as_i64().unwrap()),
                "pattern" => {
                    // The one that our schemas have: integers that are too long for a number.
                    assert_eq!(rule, "^-?[0-9]{16,39}$");
                    value.as_str().is_none_or(|text| {
                        let digits = text.strip_prefix('-').unwrap_or(text);
                        (16..=39).contains(&digits.len())
                            && digits.bytes().all(|byte| byte.is_ascii_digit())
                    })
                }
                "$schema" | "$defs" | "title" | "description" => true,
                "const" => value == rule,
                "enum" => rule.as_array().unwrap().contains(value),
                "minItems" => value
                    .as_array()
                    .is_none_or(|it| length(it) >= rule.as_u64().unwrap()),
                "maxItems" => value
                    .as_array()
                    .is_none_or(|it| length(it) <= rule.as_u64().unwrap()),
                "items" => {
                    // Looked up once, not for each of a million numbers.
                    let rule = match rule.as_object().unwrap() {
                        only if only.len() == 1 => {
                            only.get("$ref").map_or(rule, |it| self.part(it))
                        }
                        _ => rule,
                    };
                    let mut items = value.as_array().into_iter().flatten();
                    items.try_for_each(|item| self.holds(rule, item))?;
                    true
                }
                "required" => value.as_object().is_none_or(|fields| {
                    let mut names = rule.as_array().unwrap().iter();
                    names.all(|name| fields.contains_key(name.as_str().unwrap()))
                }),
                "properties" => {
                    let mut rules = rule.as_object().unwrap().iter();
                    rules.try_for_each(|(name, rule)| match value.get(name) {
                        Some(field) => self.holds(rule, field),
                        None => Ok(()),
                    })?;
                    true
                }
                "additionalProperties" => {
                    assert_eq!(rule, &Value::Bool(false));
                    let mut names = value.as_object().into_iter().flat_map(|it| it.keys());
                    names.all(|name| schema["properties"].get(name).is_some())
                }
                _ => panic!("{keyword} of {schema} is not known"),
            };
            if !is_kept {
                return wrong(keyword);
            }
        }
        Ok(())
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        name => panic!("the type {name} is not known"),
    }
}

#[test]
fn what_is_against_a_schema_is_found() {
    let schema = Schema(serde_json::json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["a"],
        "properties": { "a": { "$ref": "#/$defs/list" }, "b": { "enum": [1, 2] } },
        "$defs": {
            "list": { "type": "array", "items": { "type": "integer", "minimum": 0 }, "maxItems": 2 }
        }
    }));
    let is_valid = |text: &str| {
        let value = serde_json::from_str(text).unwrap();
        schema.holds(&schema.0, &value).is_ok()
    };
    assert!(is_valid(r#"{"a": [0, 1], "b": 2}"#));
    let wrong = r#"[]; {}; {"a": {}}; {"a": [1, 2, 3]}; {"a": [-1]}; {"a": [1.5]};
        {"a": [0], "b": 3}; {"a": [0], "d": 1}"#;
    for wrong in wrong.split(';') {
        assert!(!is_valid(wrong), "{wrong}");
    }
}
