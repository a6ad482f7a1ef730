//! Names as applications make them, and what they fold to.

use crate::support::{Dice, path_of, paths, summary_of};
use rdb_analysis::PrefixOptions;

fn expect(table: &[(&str, &str)]) {
    for (name, path) in table {
        assert_eq!(path_of(name.as_bytes()), *path, "for {name}");
    }
}

/// Names that stay as they are.
fn expect_same(names: &[&str]) {
    for name in names {
        assert_eq!(path_of(name.as_bytes()), name.as_bytes().escape_ascii().to_string());
    }
}

#[test]
fn numbers() {
    expect(&[
        ("user:1001:cart", "user:{int}:cart"),
        ("order-77", "order-{int}"),
        ("room_12_seat_3", "room_{int}_seat_{int}"),
        ("price(3, 14)[]", "price({int}, {int})[]"),
        ("temp:-5", "temp:-{int}"),
        ("k17", "k{int}"),
        ("shard2:x", "shard{int}:x"),
        ("n:00000000000000000000000000000000000000001", "n:{int}"),
        ("img:thumb100x200", "img:thumb{int}x{int}"),
        ("zip:90210-1234", "zip:{int}-{int}"),
        ("list?page=3&size=20", "list?page={int}&size={int}"),
        ("thumb_1_64x64", "thumb_{int}_{int}x{int}"),
        ("thumb_10231_320x240", "thumb_{int}_{int}x{int}"),
        ("2x3:img64x64", "{int}x{int}:img{int}x{int}"),
        ("voxels:1280x720x24", "voxels:{int}x{int}x{int}"),
    ]);
}

#[test]
fn numbers_that_belong_to_a_name() {
    expect_same(&[
        "v2:user",
        "api/v10/x",
        "hash:sha256",
        "MD5",
        "ttl:24h",
        "2fa:on",
        "k8s:pod",
        "oauth2",
        "s3",
        "b2b",
        "icon@2x",
        "0x1f",
        "apis/v1beta1",
        "v2alpha1:x",
    ]);
}

#[test]
fn words() {
    expect_same(&[
        "default",
        "profile",
        "cafe:face:decade",
        "deadbeef",
        "some-very-long-name-with-many-words-in-it",
        "getUserByIdAndNameOrEmailAddress",
        "XMLHTTPRequestFactoryFactoryBean",
        "THE_QUICK_BROWN_FOX_JUMPED_OVER_IT",
        "MyCompany-Billing-Service_InvoiceTotals",
        "com.example.Some_Class_Of-MyOwn",
        "antidisestablishmentarianism",
        "café:größe",
        "catalogue:latest",
        "getUserProfileByEmail",
        "warehouse-berlin",
        "LIMITS",
        "PHPREDIS_SESSION",
        "MixedCaseClassName",
        "login_fail_consecutive_username_and_ip",
        "circuit_breaker",
        "ophthalmologists:Rechtsschutzversicherung:manoeuvrassions",
        "volkswirtschaftliche",
        "internationalization",
        "elasticloadbalancing",
        "HYPERTEXTTRANSFERPROTOCOL",
        "ExpectedDayOfWeekAfterWeek",
        "@handle",
        "a@b",
    ]);
}

#[test]
fn hex() {
    let digest = "0f3a".repeat(16);
    expect(&[
        ("etag:9e107d9d372bb6826bd81d3542a419d6", "etag:{hex}"),
        ("blob/2FD4E1C67A2D28FCED849EE1BB76E7391B93EB12", "blob/{hex}"),
        ("commit:3f9a1c2d", "commit:{hex}"),
        ("doc:507f1f77bcf86cd799439011", "doc:{hex}"),
        ("wallet:0x52908400098527886E0F7030069857D2E4169EE7", "wallet:{hex}"),
        ("tpl.side.9e107d9d372bb6826bd81d3542a419d6.en", "tpl.side.{hex}.en"),
        (&format!("page{digest}"), "page{hex}"),
        (&format!("mailbox.{}!", "0f3a".repeat(8)), "mailbox.{hex}!"),
    ]);
}

#[test]
fn uuids_and_ulids() {
    expect(&[
        ("job:6fa459ea-ee8a-3ca4-894e-db77e160355e", "job:{uuid}"),
        ("job:6FA459EA-EE8A-3CA4-894E-DB77E160355E:log", "job:{uuid}:log"),
        ("task-meta-deadbeef-ee8a-3ca4-894e-db77e160355e.d", "task-meta-{uuid}.d"),
        ("job:12345678-1234-1234-1234-123456789012", "job:{uuid}"),
        ("order:01HZX3J9Q8W7E6R5T4Y3M2N1B0", "order:{ulid}"),
        ("order:01hzx3j9q8w7e6r5t4y3m2n1b0", "order:{ulid}"),
        // One digit too many.
        ("job:6fa459ea-ee8a-3ca4-894e-db77e160355e7", "job:{hex}-ee8a-3ca4-894e-{hex}"),
    ]);
}

#[test]
fn dates_and_times() {
    expect(&[
        ("stat:2026-11-30", "stat:{date}"),
        ("stat:2026-11", "stat:{date}"),
        ("stat:20261130", "stat:{date}"),
        ("export-2026-11-30-4", "export-{date}-{int}"),
        ("log:2026-11-30T10:15:30Z:x", "log:{datetime}:x"),
        ("log:2026-11-30T10:15:30.123+01:00", "log:{datetime}"),
        ("log:2026-11-30 10:15", "log:{datetime}"),
        ("log:2026-11-30T10", "log:{datetime}"),
        ("log:20261130T101530Z", "log:{datetime}"),
        ("posts/7-20261130101530123000", "posts/{int}-{datetime}"),
        ("log:2026-11-30_7", "log:{date}_{int}"),
        ("a:2026-13-30", "a:{int}-{int}-{int}"),
        ("a:2026-11-30x", "a:{int}-{int}-30x"),
        ("a:20261345", "a:{int}"),
        ("log/2026/10/29/74752", "log/{date}/{int}"),
        ("log/2026/10/29.gz", "log/{date}.gz"),
        ("log/2026/13/29", "log/{int}/{int}/{int}"),
        ("log/2026/10", "log/{int}/{int}"),
    ]);
}

#[test]
fn addresses() {
    expect(&[
        ("limit:192.0.2.17", "limit:{ip}"),
        ("192.0.2.17", "{ip}"),
        ("192.0.2.17:8080", "{ip}:{int}"),
        ("login:user-5_198.51.100.7", "login:user-{int}_{ip}"),
        ("rl:2001:db8:0:1::17", "rl:{ip6}"),
        ("rl:2001:db8::7/login/5", "rl:{ip6}/login/{int}"),
        ("rl:fe80:0:0:0:a:b:c:d:hits", "rl:{ip6}:hits"),
        ("rl:2001:db8::", "rl:{ip6}"),
        ("rl6:2001:db8:10bc:fc19::2dba", "rl6:{ip6}"),
        ("rlflx:2001:db8:0:1::0", "rlflx:{ip6}"),
        ("net4/10.0.0.1", "net4/{ip}"),
        ("rl6:7", "rl{int}:{int}"),
        ("bad:1.2.3", "bad:{int}.{int}.{int}"),
        ("bad:1.2.3.400", "bad:{int}.{int}.{int}.{int}"),
        ("bad:2001:7:cart", "bad:{int}:{int}:cart"),
        ("feed:face::x", "feed:face::x"),
        ("mail:jo.do+x@mail.example.org:inbox", "mail:{email}:inbox"),
        ("jo.do@example.org", "{email}"),
        ("jo@example.org.x:1", "jo@example.org.x:{int}"),
    ]);
}

#[test]
fn json() {
    expect(&[
        (r#"q:{"id":5,"tags":["a:b"]}:v"#, "q:{json}:v"),
        (r#"call-["a",{"b":"}"}]"#, "call-{json}"),
        (r#"{t}-{"id":5}"#, "{{t}}-{json}"),
        (r#"q:{"id":"#, r#"q:{{\"id\":"#),
        ("{shop}:orders", "{{shop}}:orders"),
        ("{user7}:a", "{{user{int}}}:a"),
        ("a[0]", "a[{int}]"),
    ]);
}

/// Random text of every usual length, with prefixes as sessions and caches have.
#[test]
fn random_text_folds_to_few_paths() {
    let url_safe = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let standard = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let small = &b"abcdefghijklmnopqrstuvwxyz0123456789"[..];
    let base32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    for (prefix, letters, len, label, least) in [
        ("sess:", &url_safe[..], 32, "{base64}", 1996),
        ("sess:", &url_safe[..62], 32, "{base64}", 1996),
        ("sess:", url_safe, 43, "{base64}", 1996),
        ("sess:", &url_safe[..52], 24, "{base64}", 1990),
        ("cache_", standard, 22, "{base64}", 1920),
        ("a:token-", &url_safe[..62], 27, "{base64}", 1996),
        ("a:id:", &url_safe[..62], 20, "{base64}", 1990),
        ("a:id:", &url_safe[..62], 15, "{alnum}", 1700),
        ("BID-", url_safe, 14, "{alnum}", 1800),
        ("PHPSESS:", small, 26, "{alnum}", 1990),
        ("db.sessions.", small, 32, "{alnum}", 1996),
        (":1:django.contrib.sessions.cache", small, 32, "{alnum}", 1990),
        ("otp:", base32, 26, "{alnum}", 1980),
        ("a:letters:", &small[..26], 24, "{alnum}", 1970),
    ] {
        let mut dice = Dice(len + letters.len() as u64);
        let mut random = |_| {
            let letter =
                |_| char::from(letters[usize::try_from(dice.roll(letters.len() as u64)).expect("small")]);
            format!("{prefix}{}", (0..len).map(letter).collect::<String>())
        };
        let names: Vec<String> = (0..2000).map(&mut random).collect();
        let summary = summary_of(PrefixOptions::default(), &names);
        let folded = format!("{}{label}", prefix.replace(":1:", ":{int}:"));
        let found = paths(&summary);
        let keys = found.iter().find(|(path, _)| *path == folded).map_or(0, |(_, keys)| *keys);
        assert!(keys >= least, "{folded}, {len}: {keys} of 2000, {:?}", &found[..found.len().min(12)]);
    }
}

#[test]
fn one_row_for_a_family() {
    let mut names = Vec::new();
    for n in 0..1000 {
        names.push(format!("shop:{}:cart:{n}", n % 7));
        names.push(format!("mail-queue:{{tenant{}}}:job-{n}", n % 3));
        names.push(format!("hits/10.0.{}.{}/day", n % 5, n % 250));
    }
    assert_eq!(
        paths(&summary_of(PrefixOptions::default(), &names)),
        [
            ("hits", 1000),
            ("hits/{ip}", 1000),
            ("hits/{ip}/day", 1000),
            ("mail-queue", 1000),
            ("mail-queue:{{tenant{int}}}", 1000),
            ("mail-queue:{{tenant{int}}}:job-{int}", 1000),
            ("shop", 1000),
            ("shop:{int}", 1000),
            ("shop:{int}:cart", 1000),
            ("shop:{int}:cart:{int}", 1000),
        ]
        .map(|(path, keys)| (path.to_owned(), keys))
    );
}
