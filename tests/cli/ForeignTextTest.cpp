// SPDX-License-Identifier: GPL-3.0-or-later

// Texts from files: a terminal is sent nothing that it would obey, and nothing passes for a line of
// the program's own.

#include "core/base/Utf8.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

const std::string kHostile = "\x1b]0;PWNED\x07\x1b[31mred\u009b2J\r\nerror: fake\u202egnp\x7f";
const std::string kShown =
    "?]0;PWNED?"
    "?[31mred?2J? error: fake?gnp?";

class ForeignTextCliTest : public CliTest {
 protected:
  /// The golden model with hostile names for its ten classes and in its metadata.
  std::string hostileFile() const {
    const std::string file = path("hostile.safetensors");
    expectOk(run({"convert", kGolden / "vit_micro.safetensors", file, "--model", microConfig()}));
    const nlohmann::json names(std::vector<std::string>(10, kHostile));
    setMetadata(file, "class_names", names.dump());
    setMetadata(file, "x" + kHostile, kHostile);
    return file;
  }
  void expectClean(const Outcome& outcome) const {
    for (const std::string& text : {outcome.out, outcome.err}) {
      EXPECT_EQ(fitForTerminal(text), text);
      EXPECT_EQ(("\n" + text).find("\nerror: fake"), std::string::npos) << text;
    }
  }
};

TEST_F(ForeignTextCliTest, NamesAndMetadataAreCleaned) {
  const std::string file = hostileFile();
  const Arguments predict{"predict", "--weights", file, "--tensor",
                          kGolden / "vit_micro.io.safetensors"};
  const auto predicted = run(predict);
  expectOk(predicted);
  expectClean(predicted);
  EXPECT_NE(predicted.out.find(kShown), std::string::npos) << predicted.out;
  const auto inspected = run({"inspect", file});
  expectOk(inspected);
  expectClean(inspected);
  EXPECT_NE(inspected.out.find("metadata x" + kShown), std::string::npos) << inspected.out;
}

TEST_F(ForeignTextCliTest, JsonEscapesWhatATerminalWouldObey) {
  const auto outcome = run({"predict", "--weights", hostileFile(), "--tensor",
                            kGolden / "vit_micro.io.safetensors", "--json"});
  expectOk(outcome);
  expectClean(outcome);
  EXPECT_EQ(outcome.json()["results"][0]["top"][0]["name"], kHostile) << "and nothing is lost";
}

TEST_F(ForeignTextCliTest, MessagesAreCleaned) {
  for (const Arguments& arguments :
       {Arguments{"inspect", kHostile}, Arguments{"predict", kHostile, "--model", microConfig()},
        Arguments{"train", kHostile}, Arguments{kHostile}, Arguments{"summary", kHostile},
        Arguments{"train", write("c.json", nlohmann::json{{kHostile, 1}})}}) {
    const auto outcome = run(arguments);
    EXPECT_NE(outcome.exitCode, 0);
    expectClean(outcome);
    EXPECT_NE(outcome.err.find("]0;PWNED"), std::string::npos) << outcome.err;
  }
}

TEST_F(ForeignTextCliTest, ANulEndsNoMessage) {
  const std::string key("before\0after", 12);
  const auto outcome = run({"train", write("nul.json", nlohmann::json{{key, 1}}), "--run", "run"});
  expectError(outcome, 2, {"nul.json", "before?after", "is not a known"});
}

}  // namespace
}  // namespace headlight::testing
