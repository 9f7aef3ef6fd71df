"""How long must a net train before its weights tell which layers belong together?

Sweeps the length of training, counts the pairs that the paper's ratio and humpty's ensemble get
right, solves each net, and plots it: training_length.png.
"""

import matplotlib.pyplot as plt

import humpty

EPOCHS = [0, 1, 2, 4, 8, 16, 32]
BLOCKS = 12

x, y = humpty.task(rows=1500, features=16, rng=1)
truth = [(i, i) for i in range(BLOCKS)]
right = {"ratio": [], "ensemble": []}
for epochs in EPOCHS:
    net = humpty.train(x, y, blocks=BLOCKS, hidden=32, epochs=epochs, lr=5e-3, rng=1)
    ins, outs, head = net.pieces[0:-1:2], net.pieces[1:-1:2], net.pieces[-1]
    for signal, counts in right.items():
        report = humpty.pair(ins, outs, head, signal=signal)
        counts.append(sum(found == pair for found, pair in zip(report.pairs, truth)))
    dropped = humpty.drop(net, x)
    s = humpty.solve(dropped, time_limit=20)
    same = "right" if s.permutation == dropped.permutation else "wrong"
    print(f"{epochs:3} epochs: {right['ratio'][-1]:2} pairs by the ratio, "
          f"{right['ensemble'][-1]:2} by the ensemble of {BLOCKS}; solved: {s.verdict}, {same}")

for signal, counts in right.items():
    plt.plot(EPOCHS, counts, marker="o", label=signal)
plt.xscale("symlog", linthresh=1)
plt.xlabel("epochs of training")
plt.ylabel(f"pairs right, of {BLOCKS}")
plt.legend()
plt.savefig("training_length.png", dpi=120)
