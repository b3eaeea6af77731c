#include "app/shell/help_texts.h"

#include <QCoreApplication>

namespace holo::shell {

namespace {

struct Help {
    Q_DECLARE_TR_FUNCTIONS(Help)
};

}  // namespace

QString formulaHelp()
{
    const std::pair<QString, QString> entries[] = {
        {Help::tr("θ, ladder"), Help::tr("Angle of a rotation plane, in radians a token. Query at m and key at n meet in plane i through cos θᵢ(m − n) and sin θᵢ(m − n). Standard: θᵢ = base^(−2i/d), i = 0 … M − 1, d = 2M rotated lanes (RoFormer, arXiv 2104.09864).")},
        {Help::tr("N"), Help::tr("Training context in tokens.")},
        {Help::tr("K(Δ)/M"), Help::tr("(1/M) Σᵢ cos θᵢΔ: what q·k becomes at distance Δ when query and key are alike in every plane.")},
        {Help::tr("Holonomy"), Help::tr("e^{iNθ}: what is left of a plane after one trip round the training context. −1 in every plane: anti-periodic; +1: periodic.")},
        {Help::tr("Möbius ladder"), Help::tr("θᵢ = π(2i + 1)/N: every plane comes back negated after N tokens, so K(N) = −K(0) and K(N − Δ) = −K(Δ).")},
        {Help::tr("Turns, undertrained planes"), Help::tr("θᵢN/2π. A plane with less than one turn has not seen all its angles in training (FoPE, arXiv 2412.17739).")},
        {Help::tr("Half width, first zero, bulk RMS"), Help::tr("Of K(Δ)/M: the distance at which it falls to one half, its first zero, and its root mean square from N/4 to 3N/4.")},
        {Help::tr("Needle, length, depth, distance"), Help::tr("A sentence with a key hidden in a prompt of so many tokens; depth is its place in % of the context (0: at the start), distance the tokens from it to the question. A trial is right when every token of the answer is.")},
        {Help::tr("Intervals of shares"), Help::tr("Wilson's score interval, 95 %. A difference of two shares: Newcombe's interval from both. The same prompts twice: exact McNemar test.")},
        {Help::tr("Spread over seeds"), Help::tr("SD with n − 1. Levene and Brown–Forsythe: analysis of variance of the distances from the arm's mean or median (Brown and Forsythe 1974); exact or sampled permutation p where it says so; Holm's correction over all p of a list.")},
        {Help::tr("Best of k"), Help::tr("Expected best, or chance to reach the floor, when k of the n seeds are drawn without replacement.")},
        {Help::tr("Emergence"), Help::tr("Share of seeds that have learned retrieval by a step: Kaplan–Meier, arms compared by the log-rank test.")},
        {Help::tr("Smoothing"), Help::tr("m ← w·m + (1 − w)·y, shown as m/(1 − wⁿ); the raw curve stays behind it.")},
        {Help::tr("Perplexity"), Help::tr("e to the mean loss in nats a token, over held-out windows of one length.")},
    };
    QStringList lines;
    for (const auto& [name, words] : entries)
        lines << name + '\n' + words;
    return lines.join("\n\n") + '\n';
}

QString keyboardHelp(const QList<QAction*>& actions)
{
    QStringList lines;
    for (const auto* action : actions)
        if (!action->shortcut().isEmpty())
            lines << QStringLiteral("%1\t%2").arg(action->shortcut().toString(QKeySequence::NativeText), action->text().remove('&'));
    lines << QString() << Help::tr("Del\tDelete the runs chosen in the table (Edit ▸ Bring back deleted runs)") << Help::tr("Enter\tWhat a run, a cell or a dot is made of") << Help::tr("Tab, Shift+Tab\tNext and previous field")
          << QString() << Help::tr("In every plot: the wheel zooms at the pointer, a drag pans, a double click fits, the right button exports.");
    return lines.join('\n') + '\n';
}

}  // namespace holo::shell
