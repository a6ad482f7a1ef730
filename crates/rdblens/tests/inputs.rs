//! However the bytes arrive, the answers are the same.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod support;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::{dumps, fixtures, rows};

/// Runs the binary in this folder, with these bytes on standard input.
fn run(folder: &Path, arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rdblens"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        // In small pieces, as a slow network brings them. Who refuses the input does not read it all.
        let _ = bytes.chunks(1009).try_for_each(|piece| pipe.write_all(piece));
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn folder_with(name: &str, bytes: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), bytes).unwrap();
    folder
}

fn shop() -> Vec<u8> {
    fs::read(fixtures().join("shop.rdb")).unwrap()
}

/// The last is LZ4 data as `lz4 -l` writes it.
const PACKINGS: [&str; 6] = ["gzip", "zstd", "lz4", "bzip2", "xz", "lz4 "];

fn pack(packing: &str, bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    match packing {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        // With a checksum, as the programs of that name write them.
        "zstd" => {
            let mut encoder = zstd::Encoder::new(packed, 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "lz4" => {
            let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
            let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, packed);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "bzip2" => {
            let mut encoder = bzip2::read::BzEncoder::new(bytes, bzip2::Compression::fast());
            encoder.read_to_end(&mut packed).unwrap();
            packed
        }
        "xz" => {
            let mut encoder = liblzma::read::XzEncoder::new(bytes, 1);
            encoder.read_to_end(&mut packed).unwrap();
            packed
        }
        "lz4 " => {
            packed.extend([0x02, 0x21, 0x4c, 0x18]);
            for block in bytes.chunks(8 << 20) {
                let block = lz4_flex::block::compress(block);
                packed.extend((block.len() as u32).to_le_bytes());
                packed.extend(block);
            }
            packed
        }
        other => panic!("{other}"),
    }
}

/// One behind the other, as `cat a.gz b.gz` makes them, an empty one among them.
fn pack_in_pieces(packing: &str, bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 3);
    [first, &[], second].iter().flat_map(|piece| pack(packing, piece)).collect()
}

#[test]
fn compressed_files_read_like_plain_ones() {
    let bytes = shop();
    let commands: [&[&str]; 6] = [
        &["report", "shop.rdb"],
        &["report", "--format", "json", "shop.rdb"],
        &["keys", "shop.rdb"],
        &["top", "shop.rdb"],
        &["prefixes", "shop.rdb"],
        &["info", "shop.rdb"],
    ];
    let plain = commands.map(|command| told(&run(&fixtures(), command, &[])));
    let from_pipe = told(&run(&fixtures(), &["report", "-"], &bytes));
    for packing in PACKINGS {
        for packed in [pack(packing, &bytes), pack_in_pieces(packing, &bytes)] {
            let folder = folder_with("shop.rdb", &packed);
            for (command, want) in commands.iter().zip(&plain) {
                assert_eq!(told(&run(folder.path(), command, &[])), *want, "{packing} {command:?}");
            }
            assert_eq!(told(&run(folder.path(), &["report", "-"], &packed)), from_pipe, "{packing}");
        }
    }
}

#[test]
fn every_dump_reads_the_same_unpacked() {
    for (dump, packing) in dumps().iter().zip(PACKINGS.iter().cycle()) {
        let bytes = fs::read(dump).unwrap();
        let folder = folder_with("dump.rdb", &bytes);
        let want = told(&run(folder.path(), &["keys", "dump.rdb"], &[]));
        fs::write(folder.path().join("dump.rdb"), pack(packing, &bytes)).unwrap();
        assert_eq!(
            told(&run(folder.path(), &["keys", "dump.rdb"], &[])),
            want,
            "{packing} {}",
            dump.display()
        );
    }
}

#[test]
fn what_could_be_unpacked_is_told() {
    let bytes = shop();
    let all = rows(&run(&fixtures(), &["keys", "shop.rdb"], &[]).stdout);
    // The old form of LZ4 has no checksum of its own.
    for packing in PACKINGS.into_iter().filter(|packing| *packing != "lz4 ") {
        let packed = pack(packing, &bytes);
        let mut damaged = packed.clone();
        damaged[packed.len() / 2] ^= 0x55;
        let half = packed[..packed.len() / 2].to_vec();
        for (what, input, is_damage) in [("half of it", half, false), ("a changed byte", damaged, true)] {
            let folder = folder_with("shop.rdb", &input);
            let output = run(folder.path(), &["keys", "shop.rdb"], &[]);
            let (code, _, stderr) = told(&output);
            assert!(stderr.contains(&format!("the {} data", packing.trim())), "{packing}, {what}: {stderr}");
            // Some decoders give nothing in front of a damage that is in their first block.
            assert_eq!(
                code,
                Some(if output.stdout.is_empty() { 1 } else { 3 }),
                "{packing}, {what}: {stderr}"
            );
            // What a decoder makes of a changed byte may differ before it finds out.
            if !is_damage {
                let found = rows(&output.stdout);
                assert!(found.len() < all.len(), "{packing}");
                assert_eq!(found, all[..found.len()], "{packing}");
            }
            // A pipe that brings little at a time loses no more.
            assert_eq!(run(folder.path(), &["keys", "-"], &input).stdout, output.stdout, "{packing}, {what}");
        }
        // All the data is there, and the end of its container is not.
        let folder = folder_with("shop.rdb", &packed[..packed.len() - 2]);
        for format in ["text", "jsonl"] {
            let (code, stdout, stderr) =
                told(&run(folder.path(), &["check", "--format", format, "shop.rdb"], &[]));
            assert_eq!(code, Some(3), "{packing}: {stderr}");
            assert!((stdout + &stderr).contains("could be unpacked"), "{packing}: {stderr}");
        }
        let output = run(folder.path(), &["report", "--format", "json", "shop.rdb"], &[]);
        let (code, stdout, stderr) = told(&output);
        assert_eq!(code, Some(3), "{packing}: {stderr}");
        assert!(stderr.contains("unpacked"), "{packing}: {stderr}");
        let summary: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let coverage = &summary["files"][0]["coverage"];
        assert!(coverage["unpacking"].as_str().unwrap().contains(packing.trim()), "{coverage}");
        for command in ["report", "info"] {
            let (_, text, _) = told(&run(folder.path(), &[command, "shop.rdb"], &[]));
            assert!(text.contains("DAMAGED") && text.contains("unpacked"), "{text}");
        }
    }
}

#[test]
fn what_gives_nothing_says_why() {
    for packing in PACKINGS {
        let (code, stdout, stderr) = told(&run(&fixtures(), &["report", "-"], &pack(packing, &shop())[..7]));
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{packing}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{packing}: {stderr}");
        assert!(stderr.contains(&format!("the {} data", packing.trim())), "{packing}: {stderr}");
    }
    // Packed twice, and packed well with something else inside.
    for (inside, reason) in [(pack("xz", &shop()), "xz data"), (b"hello, world".to_vec(), "neither REDIS")] {
        let (code, _, stderr) = told(&run(&fixtures(), &["report", "-"], &pack("gzip", &inside)));
        assert_eq!(code, Some(1));
        assert!(stderr.contains(reason), "{stderr}");
    }
}

#[test]
fn a_replication_capture_reads_like_its_snapshot() {
    let bytes = shop();
    let mark = "0123456789abcdef0123456789abcdef01234567";
    let sync = "+FULLRESYNC 0123456789abcdef0123456789abcdef01234567 0\r\n";
    let commands = "*1\r\n$4\r\nPING\r\n";
    let by_length = format!("\n\n{sync}\n${}\r\n", bytes.len());
    let by_mark = format!("{sync}$EOF:{mark}\r\n");
    let want = run(&fixtures(), &["keys", "shop.rdb"], &[]).stdout;
    for (before, after, warning) in [
        (by_length.as_str(), String::new(), ""),
        (&by_length, commands.to_owned(), "14 B of commands follow"),
        (&by_mark, mark.to_owned(), ""),
        (&by_mark, format!("{mark}{commands}"), "14 B of commands follow"),
        (&by_mark, mark[..9].to_owned(), "does not end where"),
        (&by_mark, mark.replace('f', "e"), "does not end where"),
        ("$17\r\n", String::new(), "does not end where"),
    ] {
        let capture = [before.as_bytes(), &bytes, after.as_bytes()].concat();
        let folder = folder_with("capture.gz", &pack("gzip", &capture));
        fs::write(folder.path().join("capture"), &capture).unwrap();
        let from_file = run(folder.path(), &["keys", "capture"], &[]);
        for output in [
            &from_file,
            &run(folder.path(), &["keys", "capture.gz"], &[]),
            &run(folder.path(), &["keys", "-"], &capture),
        ] {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{stderr}");
            assert!(stderr.contains(warning) && stderr.is_empty() == warning.is_empty(), "{stderr}");
            assert_eq!(output.stdout, want);
        }
        let header = run(folder.path(), &["info", "--header", "capture"], &[]);
        assert_eq!((header.status.code(), header.stderr.as_slice()), (Some(0), &b""[..]));
    }
    // What is cut gives what is there.
    let capture = [by_mark.as_bytes(), &bytes[..bytes.len() / 2]].concat();
    let output = run(&fixtures(), &["keys", "-"], &capture);
    assert_eq!(output.status.code(), Some(3));
    assert!(want.starts_with(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&format!("({})", bytes.len() / 2)));
}

#[test]
fn captures_and_append_only_files_of_servers() {
    let mut seen = 0;
    for server in fs::read_dir(fixtures().join("format")).unwrap() {
        let server = server.unwrap().path();
        if !server.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&server).unwrap() {
            let path = entry.unwrap().path();
            let is_capture = path.extension().is_some_and(|extension| extension == "bin");
            let inputs = match path.file_name().unwrap().to_str().unwrap() {
                // Redis 6.2 has one file without a manifest.
                "aof" if path.join("appendonly.aof").exists() => vec![path.join("appendonly.aof")],
                "aof" => vec![path.clone(), path.join("appendonly.aof.manifest")],
                _ if is_capture => vec![path.clone()],
                _ => continue,
            };
            for input in inputs {
                let output = run(&fixtures(), &["keys", input.to_str().unwrap()], &[]);
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(0), "{stderr}");
                // The commands in aof.json: SET a 1, RPUSH l x y; what came later is not in the snapshot.
                let mut keys: Vec<_> = rows(&output.stdout)
                    .into_iter()
                    .map(|row| (row["key"].clone(), row["type"].clone(), row["elements"].clone()))
                    .collect();
                keys.sort();
                let key = |key: &str, kind: &str, elements: &str| (key.into(), kind.into(), elements.into());
                assert_eq!(keys, [key("a", "string", "1"), key("l", "list", "2")], "{}", input.display());
                let words = if is_capture { "a replica was sent" } else { "append-only" };
                assert!(stderr.contains(words) && stderr.contains("not read"), "{stderr}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn directories_that_cannot_be_read() {
    let folder = folder_with("appendonly.aof.manifest", b"file a.base.aof seq 1 type b\n");
    let error_of = |manifest: &str| {
        fs::write(folder.path().join("appendonly.aof.manifest"), manifest).unwrap();
        let (code, stdout, stderr) = told(&run(folder.path(), &["keys", "."], &[]));
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        stderr
    };
    fs::write(folder.path().join("a.base.aof"), "*1\r\n$4\r\nPING\r\n").unwrap();
    assert!(error_of("file a.base.aof seq 1 type b\n").contains("commands only"));
    assert!(error_of("file a.base.rdb seq 1 type b\n").contains("a.base.rdb"));
    assert!(error_of("file a.incr.aof seq 1 type i\n").contains("no base"));
    assert!(error_of("file ../a.base.aof seq 1 type b\n").contains("line 1 names a path"));
    assert!(error_of("").contains("no manifest"));
    fs::write(folder.path().join("b.base.rdb"), shop()).unwrap();
    assert!(error_of("file b.base.rdb type b\nfile gone.aof type i\n").contains("gone.aof"));
    fs::write(folder.path().join("other.manifest"), "").unwrap();
    assert!(error_of("").contains("several manifests"));
    let empty = tempfile::tempdir().unwrap();
    assert!(told(&run(empty.path(), &["keys", "."], &[])).2.contains("is a directory"));
}

#[test]
fn no_increment_is_overwritten() {
    let folder = folder_with("a.base.rdb", &shop());
    fs::write(folder.path().join("a.manifest"), "file a.base.rdb type b\nfile a.incr.aof type i\n").unwrap();
    fs::write(folder.path().join("a.incr.aof"), "precious").unwrap();
    let output = run(folder.path(), &["keys", ".", "-o", "a.incr.aof"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(folder.path().join("a.incr.aof")).unwrap(), b"precious");
}

#[test]
fn patterns_that_no_shell_expanded() {
    let folder = folder_with("shard-2.rdb", &shop());
    fs::write(folder.path().join("shard-1.rdb"), pack("zstd", &shop())).unwrap();
    fs::write(folder.path().join("odd[1].rdb"), shop()).unwrap();
    let keys = |arguments: &[&str]| told(&run(folder.path(), arguments, &[]));
    let named = keys(&["keys", "shard-1.rdb", "shard-2.rdb"]);
    assert_eq!(named.0, Some(0));
    assert_eq!(keys(&["keys", "shard-*.rdb"]), named);
    assert_eq!(keys(&["keys", "shard-[12].rdb"]), named);
    // A file that is called like a pattern is that file.
    assert_eq!(keys(&["keys", "odd[1].rdb"]), keys(&["keys", "shard-1.rdb"]));
    let (code, _, stderr) = keys(&["keys", "shard-?.gz"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("none that it matches"), "{stderr}");
}

#[test]
fn what_follows_gzip_data_is_passed_over() {
    let bytes = shop();
    let want = run(&fixtures(), &["keys", "shop.rdb"], &[]).stdout;
    let packed = pack_in_pieces("gzip", &bytes);
    for (tail, warning) in [
        (vec![0; 1], "1 byte follows"),
        (vec![0; 100_000], "100,000 bytes follow"),
        (b"\x1f\0junk".to_vec(), "6 bytes follow"),
        (b"junk\x1f\x8b".to_vec(), "6 bytes follow"),
    ] {
        let padded = [packed.as_slice(), &tail].concat();
        let folder = folder_with("shop.rdb.gz", &padded);
        for output in
            [run(folder.path(), &["keys", "shop.rdb.gz"], &[]), run(folder.path(), &["keys", "-"], &padded)]
        {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), output.stdout == want), (Some(0), true), "{stderr}");
            assert!(stderr.contains(warning), "{stderr}");
        }
    }
    // What starts like a member is one.
    let (code, _, stderr) = told(&run(&fixtures(), &["keys", "-"], &[&packed[..], b"\x1f\x8bjunk"].concat()));
    assert_eq!(code, Some(3));
    assert!(stderr.contains("the gzip data"), "{stderr}");
}

#[test]
fn wrappings_that_are_not_read_are_named() {
    for (start, name) in [
        (&b"VKCS\x01\x01\0\0\x04\x22\x4d\x18"[..], "a compressed snapshot of a Valkey development build"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "7z archive"),
        (b"PK\x03\x04\x14\0", "zip archive"),
        (b"\x1f\x9d\x90", "compress(1)"),
        (b"Salted__12345678", "openssl"),
        (b"age-encryption.org/v1\n", "age"),
    ] {
        for input in [start.to_vec(), pack("gzip", start)] {
            let (code, stdout, stderr) = told(&run(&fixtures(), &["report", "-"], &input));
            assert_eq!((code, stdout.as_str()), (Some(1), ""));
            assert!(stderr.contains(name), "{stderr}");
        }
    }
    // An archive of one snapshot: name, mode, owner, group, size, time, checksum, kind, link, magic.
    let mut archive = vec![0; 512];
    archive[..8].copy_from_slice(b"dump.rdb");
    archive[257..263].copy_from_slice(b"ustar ");
    archive.extend(shop());
    for input in [archive.clone(), pack("gzip", &archive)] {
        let folder = folder_with("backup", &input);
        for output in
            [run(folder.path(), &["keys", "backup"], &[]), run(folder.path(), &["keys", "-"], &input)]
        {
            let (code, _, stderr) = told(&output);
            assert_eq!(code, Some(1));
            assert!(stderr.contains("a tar archive; extract"), "{stderr}");
        }
    }
}

#[test]
fn manifests_name_files_as_servers_quote_them() {
    let folder = folder_with("it's \n\u{e9}.base.rdb", &shop());
    fs::write(folder.path().join("b c.incr.aof"), "*1\r\n$4\r\nPING\r\n").unwrap();
    let want = run(&fixtures(), &["keys", "shop.rdb"], &[]).stdout;
    for (base, increment) in [
        (r#""it's \n\xc3\xa9.base.rdb""#, "\"b c.incr.aof\""),
        (r#"'it\'s '"\n\xc3\xa9.base.rdb""#, "'b c.incr.aof'"),
    ] {
        let manifest = format!("file {base} seq 1 type b\nfile {increment} seq 1 type i\n");
        fs::write(folder.path().join("a.manifest"), manifest).unwrap();
        let output = run(folder.path(), &["keys", "."], &[]);
        // A quote ends a word: the second has none behind its first.
        let is_read = !base.contains("'\"");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(if is_read { 0 } else { 1 }), "{stderr}");
        assert_eq!(output.stdout == want, is_read);
        assert!(
            stderr.contains(if is_read { "14 B of commands" } else { "line 1 has an open quote" }),
            "{stderr}"
        );
    }
    fs::rename(folder.path().join("it's \n\u{e9}.base.rdb"), folder.path().join("it's")).unwrap();
    fs::write(folder.path().join("a.manifest"), "file 'it\\'s' seq 1 type b\n").unwrap();
    assert_eq!(run(folder.path(), &["keys", "."], &[]).stdout, want);
}

/// A list of one packed node of so many bytes, compressed in the file.
fn packed_node(bytes: usize) -> Vec<u8> {
    let listpack = rdb_synth::packed::Listpack::of([vec![b'x'; bytes]]).finish();
    let mut value = vec![1, 2];
    rdb_synth::enc::put_lzf(&mut value, &rdb_synth::lzf::compress(&listpack), listpack.len() as u64);
    rdb_synth::RdbBuilder::redis(11).select_db(0).key(18, "packed", &value).eof()
}

#[test]
fn limits_can_be_raised() {
    // 300 MiB of one string are more than is free, and zstd makes far more than 2000 bytes of one.
    let text = [&[0x80][..], &(300u32 << 20).to_be_bytes(), &vec![b'v'; 300 << 20]].concat();
    let grown = pack("zstd", &rdb_synth::RdbBuilder::redis(11).select_db(0).key(0, "k", &text).eof());
    let (code, _, stderr) = told(&run(&fixtures(), &["keys", "-"], &grown));
    assert_eq!(code, Some(3));
    assert!(stderr.contains("--max-expansion"), "{stderr}");
    let (code, stdout, stderr) =
        told(&run(&fixtures(), &["keys", "--max-expansion", "1000000", "-"], &grown));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert_eq!(rows(stdout.as_bytes())[0]["elements"], (300 << 20).to_string());

    let dump = packed_node(33 << 20);
    for command in ["keys", "top"] {
        let (code, _, stderr) = told(&run(&fixtures(), &[command, "-"], &dump));
        assert_eq!(code, Some(3), "{stderr}");
        assert!(stderr.contains("33554432 are allowed (--max-inflated)"), "{stderr}");
        let (code, stdout, stderr) = told(&run(&fixtures(), &[command, "--max-inflated=40MiB", "-"], &dump));
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert_eq!(rows(stdout.as_bytes())[0]["elements"], "1");
    }
    assert_eq!(told(&run(&fixtures(), &["check", "--max-inflated=40MiB", "-"], &dump)).0, Some(0));
    assert_eq!(told(&run(&fixtures(), &["keys", "--max-inflated=much", "-"], &dump)).0, Some(2));
}

#[cfg(unix)]
#[test]
fn a_fifo_reads_like_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    for bytes in [shop(), pack("gzip", &shop())] {
        let target = path.clone();
        let writer = std::thread::spawn(move || fs::write(target, bytes).unwrap());
        let output = run(folder.path(), &["keys", "fifo"], &[]);
        writer.join().unwrap();
        assert_eq!(output.stdout, run(&fixtures(), &["keys", "shop.rdb"], &[]).stdout);
    }
}
