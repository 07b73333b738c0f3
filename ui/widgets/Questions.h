// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace headlight {

/// Closes the questions that are open over `asked` and answers them with no: what they ask about
/// has ended meanwhile (askToStop of Dialogs.h).
void withdrawQuestions(QWidget* asked);

}  // namespace headlight
