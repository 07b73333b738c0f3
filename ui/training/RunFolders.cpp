// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/RunFolders.h"

#include <QDir>

#include <utility>

namespace headlight {
namespace {

/// "-sch1*-5x5" of "sch1* (5×5)": fit for a name; empty without masks.
QString nameSuffix(const MaskConfig& masks) {
  QString title = QString::fromStdString(masksTitle(masks));
  if (title == QLatin1String("none")) return {};
  for (const auto& [from, to] : {std::pair(" (", "-"), std::pair(", ", "-"), std::pair(")", ""),
                                 std::pair("×", "x"), std::pair("α ", "a")})
    title.replace(QString::fromUtf8(from), QLatin1String(to));
  return QLatin1Char('-') + title;
}

}  // namespace

std::string runName(const std::string& own, const MaskConfig& ownMasks, const MaskConfig& masks) {
  QString name = QString::fromStdString(own);
  if (const QString before = nameSuffix(ownMasks); name.endsWith(before)) name.chop(before.size());
  return (name + nameSuffix(masks)).toStdString();
}

std::string folderName(const std::string& name) {
  std::string fit;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    fit += plain ? c : '_';
  }
  const auto first = fit.find_first_not_of('.');
  fit = first == std::string::npos ? std::string() : fit.substr(first, 100);
  return fit.empty() ? "experiment" : fit;
}

std::filesystem::path typedFolder(const QString& text) {
  QString path = text.trimmed();
  if (path == QLatin1String("~") || path.startsWith(QLatin1String("~/")))
    path.replace(0, 1, QDir::homePath());
  return path.toStdString();
}

std::filesystem::path runsFolder() {
  return std::filesystem::path(QDir::homePath().toStdString()) / "Headlight" / "runs";
}

std::filesystem::path freeRunFolder(const std::string& name) {
  std::filesystem::path wanted = runsFolder() / folderName(name);
  std::error_code ignored;
  for (int i = 1; i < 10000; ++i) {
    std::filesystem::path folder = wanted;
    if (i > 1) (folder += "-") += std::to_string(i);
    if (!std::filesystem::exists(folder, ignored)) return folder;
  }
  return wanted;
}

bool holdsRun(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "config.json", ignored) ||
         std::filesystem::exists(folder / "last.safetensors", ignored);
}

}  // namespace headlight
