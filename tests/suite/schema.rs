//! The schemas of the JSON that the program writes.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// A schema of `docs/`.
pub struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    pub fn read(name: &str) -> Self {
        let path = format!("{}/docs/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let mut schemas = Schemas::new();
        let index = Compiler::new().compile(&path, &mut schemas).unwrap();
        Schema { schemas, index }
    }

    /// Checks that a document is as the schema has it.
    #[track_caller]
    pub fn check(&self, document: &Value, name: &str) {
        if let Err(problem) = self.schemas.validate(document, self.index) {
            panic!("{name}: {problem:#}");
        }
    }
}
