//! The layouts as the real headers have them, and two workers that talk.

use super::Worker;
use super::symbols::{EndpointParams, HandlerParams, Params, RequestParams, WorkerParams};
use crate::transport::readable::wait_for;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn layouts_are_those_of_the_headers() {
    let structures = [
        ("ucp_params_t", Params::LAYOUT),
        ("ucp_worker_params_t", WorkerParams::LAYOUT),
        ("ucp_ep_params_t", EndpointParams::LAYOUT),
        ("ucp_am_handler_param_t", HandlerParams::LAYOUT),
        ("ucp_request_param_t", RequestParams::LAYOUT),
    ];
    let mut text = String::from("#include <stdio.h>\n#include <ucp/api/ucp.h>\nint main(void) {\n");
    let mut expected = String::new();
    for (name, layout) in structures {
        for (field, number) in layout {
            let what = match *field {
                "" => format!("sizeof({name})"),
                field => format!("offsetof({name}, {field})"),
            };
            text += &format!("printf(\"{what} %zu\\n\", {what});\n");
            // Only fields are added at the end: a later version may be larger.
            expected += &format!("{what} {number}\n");
        }
    }
    let values = [
        ("sizeof(ucs_status_t)", 1),
        ("UCP_FEATURE_AM", super::symbols::FEATURE_AM),
        ("UCP_FEATURE_WAKEUP", super::symbols::FEATURE_WAKEUP),
        ("UCS_THREAD_MODE_SERIALIZED", super::symbols::THREAD_MODE_SERIALIZED as u64),
        ("UCP_ERR_HANDLING_MODE_PEER", super::symbols::ERROR_MODE_PEER as u64),
        ("UCP_EP_PARAM_FIELD_ERR_HANDLER", super::symbols::ENDPOINT_ERROR_HANDLER),
        ("UCP_AM_FLAG_WHOLE_MSG", super::symbols::WHOLE_MESSAGES.into()),
        ("UCP_AM_SEND_FLAG_EAGER", super::symbols::SEND_EAGERLY.into()),
        ("UCP_OP_ATTR_FIELD_CALLBACK", super::symbols::REQUEST_CALLBACK.into()),
        ("UCP_OP_ATTR_FIELD_USER_DATA", super::symbols::REQUEST_USER_DATA.into()),
        ("UCP_OP_ATTR_FIELD_FLAGS", super::symbols::REQUEST_FLAGS.into()),
        ("UCP_EP_CLOSE_FLAG_FORCE", super::symbols::CLOSE_BY_FORCE.into()),
        ("-UCS_ERR_LAST", -super::symbols::LAST_ERROR as u64),
    ];
    for (what, number) in values {
        text += &format!("printf(\"{what} %llu\\n\", (unsigned long long)({what}));\n");
        expected += &format!("{what} {number}\n");
    }
    text += "return 0; }\n";
    let directory = std::env::temp_dir().join(format!("ftmpi-ucx-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("there is room");
    let (source, program) = (directory.join("layout.c"), directory.join("layout"));
    std::fs::write(&source, text).expect("there is room");
    let mut compiler = Command::new("cc");
    compiler.arg(&source).arg("-o").arg(&program).stderr(Stdio::null());
    if !compiler.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: the headers of UCX are not installed (Debian: libucx-dev)");
    } else {
        let seen = Command::new(&program).output().expect("it was just built");
        assert_eq!(String::from_utf8_lossy(&seen.stdout), expected);
    }
    std::fs::remove_dir_all(&directory).expect("it is ours");
}

#[test]
fn workers_exchange_messages_and_hear_of_a_closed_end() {
    let [mut one, mut other] = match [Worker::open(), Worker::open()] {
        [Ok(one), Ok(other)] => [one, other],
        [Err(why), _] | [_, Err(why)] => return eprintln!("skipped: {why}"),
    };
    let address = other.address().expect("it has one");
    let endpoint = one.connect(&address).expect("nothing ends").expect("it is there");
    let sizes = [0, 1, 100, 8 << 10, 300 << 10];
    for (number, bytes) in sizes.iter().enumerate() {
        one.send(&endpoint, vec![number as u8; *bytes]);
    }
    let (mut seen, until) = (Vec::new(), Instant::now() + Duration::from_secs(20));
    while seen.len() < sizes.len() {
        assert!(Instant::now() < until, "{} of {}", seen.len(), sizes.len());
        one.progress();
        seen.extend(other.progress());
        if one.arm() && other.arm() {
            wait_for(&[other.descriptor()], Duration::from_millis(1));
        }
    }
    for (number, message) in seen.iter().enumerate() {
        assert!(message.len() == sizes[number] && message.iter().all(|it| *it == number as u8));
    }
    assert!(!endpoint.is_broken());
    one.close(endpoint);
    one.progress();
    assert!(!one.is_sending());
}
