//! The tag `include`. To find the end of the tag, the engine's own makes errors, which take as long as all the rest of the parser.

use std::collections::HashMap;
use std::io::Write;

use liquid_core::error::ResultLiquidExt as _;
use liquid_core::model::{KString, KStringRef};
use liquid_core::runtime::StackFrame;
use liquid_core::{
    Expression, Language, ParseTag, Renderable, Result, Runtime, TagReflection, TagTokenIter,
    ValueView as _,
};

#[derive(Clone)]
pub(super) struct IncludeTag;

#[derive(Debug)]
struct Include {
    partial: Expression,
    variables: Vec<(KString, Expression)>,
}

impl TagReflection for IncludeTag {
    fn tag(&self) -> &'static str {
        "include"
    }

    fn description(&self) -> &'static str {
        ""
    }
}

impl ParseTag for IncludeTag {
    fn parse(&self, mut tokens: TagTokenIter, _: &Language) -> Result<Box<dyn Renderable>> {
        let partial = tokens.expect_next("a partial is missing")?;
        let partial = partial.expect_value().into_result()?;
        let mut variables = Vec::new();
        let mut next = tokens.next();
        while let Some(name) = next {
            let name = KString::from_ref(name.expect_identifier().into_result()?);
            let colon = tokens.expect_next("`:` is missing")?;
            colon.expect_str(":").into_result()?;
            let value = tokens.expect_next("a value is missing")?;
            variables.push((name, value.expect_value().into_result()?));
            next = match tokens.next() {
                Some(comma) => {
                    comma.expect_str(",").into_result()?;
                    tokens.next()
                }
                None => None,
            };
        }
        Ok(Box::new(Include { partial, variables }))
    }

    fn reflection(&self) -> &dyn TagReflection {
        self
    }
}

impl Renderable for Include {
    fn render_to(&self, writer: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        let trace = || format!("{{% include {} %}}", self.partial).into();
        let name = self.partial.evaluate(runtime)?.to_kstr().into_owned();
        let variables = self.variables.iter();
        let variables =
            variables.map(|(name, value)| Ok((name.as_ref(), value.evaluate(runtime)?)));
        let variables = variables.collect::<Result<HashMap<KStringRef, _>>>();
        let variables = variables.trace_with(trace)?;
        let scope = StackFrame::new(runtime, &variables);
        let partial = scope.partials().get(&name).trace_with(trace)?;
        partial.render_to(writer, &scope).trace_with(trace)
    }
}
