// SPDX-License-Identifier: GPL-3.0-or-later

// Texts come from a catalog where the environment asks for its language: those of the command line,
// of option tables and of core's errors. JSON and numbers stay as they are.

#include <cstdlib>
#include <map>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

void append(std::string& bytes, std::uint32_t number) {
  for (int i = 0; i < 4; ++i)
    bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

/// GNU gettext's binary catalog: tables of lengths and offsets, sorted by text, then the texts.
std::string catalog(const std::map<std::string, std::string>& texts) {
  const auto count = static_cast<std::uint32_t>(texts.size());
  const std::uint32_t header = 28, tables = 8 * count;
  std::string first, second, body;
  for (const auto& [text, translation] : texts) {
    append(first, static_cast<std::uint32_t>(text.size()));
    append(first, header + 2 * tables + static_cast<std::uint32_t>(body.size()));
    body += text + '\0';
    append(second, static_cast<std::uint32_t>(translation.size()));
    append(second, header + 2 * tables + static_cast<std::uint32_t>(body.size()));
    body += translation + '\0';
  }
  std::string bytes;
  for (const std::uint32_t field : {0x950412deu, 0u, count, header, header + tables, 0u, 0u})
    append(bytes, field);
  return bytes + first + second + body;
}

class TranslationCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    fs::create_directories(path("locale/xx/LC_MESSAGES"));
    // glibc 2.41 hears LANGUAGE in no locale whose name begins with C: the same by another name.
    fs::create_directories(path("locales"));
    fs::copy("/usr/lib/locale/C.utf8", path("locales/xx_XX.utf8"), fs::copy_options::recursive);
    write("locale/xx/LC_MESSAGES/headlight.mo",
          catalog({{"", "Content-Type: text/plain; charset=UTF-8\n"},
                   {"Show this help and exit", "⟦show⟧"},
                   {"Passes over the training split.", "⟦passes⟧"},
                   {"attention of the ", "⟦attention⟧ "},
                   {"could not open: ", "⟦open⟧ "}}));
  }
  Outcome translated(const Arguments& arguments) const {
    ProgramOptions own = options();
    const std::string folder = path("locale").string(), locales = path("locales").string();
    own.inChild = [folder, locales] {
      ::setenv("HEADLIGHT_LOCALE", folder.c_str(), 1);
      ::setenv("LOCPATH", locales.c_str(), 1);
      ::setenv("LC_ALL", "xx_XX.UTF-8", 1);
      ::setenv("LANGUAGE", "xx", 1);
    };
    return cli(arguments, own);
  }
};

TEST_F(TranslationCliTest, HelpOfCommandsAndOptions) {
  const Outcome help = translated({"train", "--help"});
  expectOk(help);
  EXPECT_NE(help.out.find("⟦show⟧"), std::string::npos);
  EXPECT_NE(help.out.find("⟦passes⟧"), std::string::npos);
  EXPECT_EQ(run({"train", "--help"}).out.find("⟦"), std::string::npos);
}

TEST_F(TranslationCliTest, ErrorsOfCore) {
  const Outcome refused = translated({"inspect", "none.safetensors"});
  expectError(refused, 3, {"⟦open⟧", "none.safetensors"});
}

TEST_F(TranslationCliTest, JsonStays) {
  fs::copy(kGolden / "former/run", path("run"), fs::copy_options::recursive);
  const Arguments arguments{"evolution", "run", "--values", "--json"};
  const Outcome plain = run(arguments);
  expectOk(plain);
  EXPECT_NE(plain.out.find("attention of the "), std::string::npos);
  EXPECT_EQ(translated(arguments).out, plain.out);
}

}  // namespace
}  // namespace headlight::testing
