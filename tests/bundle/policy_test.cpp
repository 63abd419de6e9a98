#include "bundle/policy.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"

namespace hallmark::bundle {
namespace {

constexpr const char* head = "version = 1\nname = \"p\"\n";

std::string error_of(const std::string& rest) {
  try {
    parse_policy(head + rest, "p.toml");
  } catch (const UserError& error) {
    return error.render();
  }
  return "accepted";
}

TEST(Policy, TheShippedDefaultIsTheFileInTheCorpus) {
  EXPECT_EQ(read_file(HALLMARK_SOURCE_DIR "/corpus/policies/default.toml"), default_policy_text());
  const Policy& policy = default_policy();
  EXPECT_EQ(policy.name, "default");
  EXPECT_EQ(policy.sha256, sha256_hex(default_policy_text()));
  EXPECT_TRUE(policy.established);
  EXPECT_TRUE(policy.wants_both_solvers(ObligationKind::bounds));
  EXPECT_FALSE(policy.wants_both_solvers(ObligationKind::rule));
  EXPECT_FALSE(policy.wants_both_solvers(ObligationKind::rewrite_step));
}

TEST(Policy, AnEmptyPolicyDemandsEverything) {
  const Policy policy = parse_policy(head, "p.toml");
  ASSERT_EQ(policy.require.size(), 1u);
  EXPECT_TRUE(policy.require[0].kinds.empty());
  EXPECT_TRUE(policy.tolerate.empty());
  EXPECT_TRUE(policy.established);
  EXPECT_TRUE(policy.wants_both_solvers(ObligationKind::rule));
}

TEST(Policy, ReadsEveryMember) {
  const std::string digest = sha256_hex("m");
  const Policy policy = parse_policy(std::string(head) +
                                         "[[require]]\nkinds = [\"bounds\", \"race\"]\nlevels = [\"ptx\"]\n"
                                         "[[tolerate]]\nreason = \"gap\"\nkinds = \"all\"\n"
                                         "[solvers]\none_suffices = [\"rule\"]\n[limits]\nmax_unrun = 3\n"
                                         "[assumptions]\nallow = [\"importer\"]\ndefault_boxes = false\n"
                                         "[states]\nneed = \"recorded\"\n[expect]\nmodel = \"" +
                                         digest + "\"\nmax_age_days = 7\n[signatures]\nthreshold = 2\n",
                                     "p.toml");
  EXPECT_EQ(policy.require[0].kinds, (std::vector{ObligationKind::bounds, ObligationKind::race}));
  EXPECT_EQ(policy.require[0].levels, std::vector{Level::ptx});
  EXPECT_EQ(policy.tolerate[0].reason, Reason::gap);
  EXPECT_EQ(policy.max_unrun, 3u);
  EXPECT_EQ(policy.allowed_assumptions, std::vector<std::string>{"importer"});
  EXPECT_FALSE(policy.default_boxes_allowed);
  EXPECT_FALSE(policy.established);
  EXPECT_EQ(policy.expected_digests.at("model"), digest);
  EXPECT_EQ(policy.max_age_days, 7u);
  EXPECT_EQ(policy.signature_threshold, 2u);
}

TEST(Policy, ErrorsHaveAPlaceACaretAndACode) {
  EXPECT_EQ(error_of("[[tolerate]]\nreason = \"timeout\"\n"),
            "p.toml:4:10: error: unknown reason 'timeout' [E5304]\nreason = \"timeout\"\n         ^\n");
  EXPECT_EQ(error_of("[limits]\nmax_unruns = 3\n"),
            "p.toml:4:1: error: unknown member 'max_unruns'; expected one of: max_unrun [E5302]\nmax_unruns "
            "= 3\n^\n");
  EXPECT_EQ(error_of("[limits]\nmax_unrun = -1\n"),
            "p.toml:4:13: error: expected a natural number [E5303]\nmax_unrun = -1\n            ^\n");
  EXPECT_EQ(error_of("[[require]]\nkinds = [\"bounds\", \"bound\"]\n"),
            "p.toml:4:20: error: unknown kind 'bound' [E5304]\nkinds = [\"bounds\", \"bound\"]\n             "
            "      ^\n");
  const std::string syntax = error_of("[limits\n");
  EXPECT_TRUE(syntax.starts_with("p.toml:3:8: error: not valid TOML")) << syntax;
  EXPECT_NE(syntax.find("[E5301]\n[limits\n       ^\n"), std::string::npos) << syntax;
}

TEST(Policy, WhatNoPolicyMayExcuse) {
  EXPECT_NE(error_of("[[tolerate]]\nreason = \"disagreement\"\n").find("E5305"), std::string::npos);
  EXPECT_NE(error_of("[signatures]\nthreshold = 0\n").find("E5305"), std::string::npos);
  EXPECT_NE(error_of("[[tolerate]]\nreason = \"\"\n").find("E5304"), std::string::npos);
  EXPECT_NE(error_of("[[require]]\nkinds = []\n").find("E5303"), std::string::npos) << "none is not all";
  EXPECT_NE(error_of("[expect]\nmodel = \"abc\"\n").find("E5303"), std::string::npos);
  EXPECT_THROW(parse_policy("name = \"p\"\n", "p.toml"), UserError);
  EXPECT_THROW(parse_policy("version = 2\nname = \"p\"\n", "p.toml"), UserError);
}

TEST(Policy, KeysLieBesideIt) {
  const TemporaryFolder folder;
  const std::string id = generate_key_files(folder.path() + "/a");
  const Policy policy =
      parse_policy(std::string(head) + "[signatures]\nkeys = [\"a.pub\"]\n", folder.path() + "/p.toml");
  ASSERT_EQ(policy.keys.size(), 1u);
  EXPECT_EQ(policy.keys[0].id(), id);
  EXPECT_THROW(
      parse_policy(std::string(head) + "[signatures]\nkeys = [\"b.pub\"]\n", folder.path() + "/p.toml"),
      UserError);
}

}  // namespace
}  // namespace hallmark::bundle
