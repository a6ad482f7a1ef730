//! Names as applications make them, and what they fold to.

use crate::support::path_of;

fn expect(table: &[(&str, &str)]) {
    for (name, path) in table {
        assert_eq!(path_of(name.as_bytes()), *path, "for {name}");
    }
}

#[test]
fn numbers() {
    expect(&[
        ("user:1001:cart", "user:{int}:cart"),
        ("order-77", "order-{int}"),
        ("room_12_seat_3", "room_{int}_seat_{int}"),
        ("price(3, 14)[]", "price({int}, {int})[]"),
        ("k17", "k{int}"),
        ("shard2:x", "shard{int}:x"),
        ("v2:user", "v2:user"),
        ("hash:sha256", "hash:sha256"),
        ("ttl:24h", "ttl:24h"),
        ("n:00000000000000000000000000000000000000001", "n:{int}"),
        ("img:thumb100x200", "img:thumb{int}x{int}"),
    ]);
}
