// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/key_store.hpp"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "gslb/zone/key_book_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::gslb::control {
namespace {

namespace fs = std::filesystem;
using base::crypto::EcdsaKey;

const wire::dns::Name kZone = *wire::dns::parse_name("example.net");

class KeyStoreTest : public testing::Test {
protected:
    KeyStoreTest() : store_(folder_.path()) {
        for (const auto role : {zone::KeyRole::ksk, zone::KeyRole::zsk}) {
            const auto key = EcdsaKey::generate();
            publics_.push_back(key->public_key());
            EXPECT_EQ(store_.add_secret(kZone, role, *key), "");
        }
        book_ = zone::make_key_book(kZone, publics_, 1'800'000'000);
        EXPECT_EQ(store_.save(book_), "");
    }

    fs::path secret(std::size_t key) const {
        return fs::path(folder_.path()) / zone::secret_file(kZone, book_.keys[key].tag());
    }
    std::string problem() const {
        const auto loaded = store_.load(kZone, 3'600);
        return std::holds_alternative<std::string>(loaded) ? std::get<std::string>(loaded) : "";
    }

    tests::TemporaryFolder folder_;
    KeyStore store_;
    std::vector<base::crypto::EcdsaPublicKey> publics_;
    zone::KeyBook book_;
};

TEST_F(KeyStoreTest, KeysComeBackWithTheirSecrets) {
    const auto loaded = store_.load(kZone, 1'234);
    ASSERT_TRUE(std::holds_alternative<KeyStore::Keys>(loaded)) << std::get<std::string>(loaded);
    const auto& keys = std::get<KeyStore::Keys>(loaded);
    EXPECT_EQ(keys.book, book_);
    EXPECT_EQ(keys.set->dnskey_ttl, 1'234U);
    for (const auto& key : keys.set->keys) EXPECT_TRUE(key.secret);
}

TEST_F(KeyStoreTest, SecretsAreForTheirOwnerAlone) {
    struct stat status{};
    ASSERT_EQ(::stat(secret(0).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(KeyStoreTest, ASecretThatIsThereIsNotWrittenOver) {
    const auto key = EcdsaKey::from_pem([&] {
        std::ifstream in(secret(0));
        return std::string(std::istreambuf_iterator<char>(in), {});
    }());
    EXPECT_NE(store_.add_secret(kZone, zone::KeyRole::ksk, *key), "");
}

TEST_F(KeyStoreTest, AKskMayBeElsewhereButNotTheKeyOfTheData) {
    fs::remove(secret(0));
    EXPECT_EQ(problem(), "");
    fs::remove(secret(1));
    EXPECT_NE(problem().find("no key that is here signs data"), std::string::npos);
}

TEST_F(KeyStoreTest, WhatCannotBeUsedIsNamed) {
    EXPECT_NE(
        std::get<std::string>(store_.load(*wire::dns::parse_name("other"), 1)).find("keys create"),
        std::string::npos
    );
    fs::copy_file(secret(0), secret(1), fs::copy_options::overwrite_existing);
    EXPECT_NE(problem().find("another key than the one that the book names"), std::string::npos);
    std::ofstream(secret(1)) << "no key";
    EXPECT_NE(problem().find(secret(1).filename()), std::string::npos);
}

TEST_F(KeyStoreTest, ABrokenBookOrSignatureIsNamed) {
    std::ofstream(fs::path(folder_.path()) / zone::premade_file(kZone))
        << "example.net. IN A 192.0.2.1\n";
    EXPECT_NE(problem().find("must be an RRSIG record"), std::string::npos);
    std::ofstream(fs::path(folder_.path()) / zone::key_book_file(kZone)) << R"({"version": 2})";
    EXPECT_NE(problem().find("'version' must be 1"), std::string::npos);
}

}  // namespace
}  // namespace twinsite::gslb::control
