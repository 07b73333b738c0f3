// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's command line as a manual page and as completions, made from the options that --help
// lists.

#include <QCommandLineOption>
#include <QList>
#include <QString>

class QCommandLineParser;

namespace headlight {

/// The program and its libraries, a line each; the first as Qt writes it: "headlight 0.3.0".
QString versionText();

/// roff for man(1). `parser` describes the program, `options` are its own besides Qt's.
QString windowManualPage(const QCommandLineParser& parser,
                         const QList<QCommandLineOption>& options);

/// `shell`: bash, zsh or fish; empty for another.
QString windowCompletion(const QCommandLineParser& parser, const QList<QCommandLineOption>& options,
                         const QString& shell);

}  // namespace headlight
